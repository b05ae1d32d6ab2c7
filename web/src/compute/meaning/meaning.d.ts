declare module '$meaning' {
  const made: import('./made').Made;
  export default made;
}
