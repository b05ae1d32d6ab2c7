declare module '$meaning' {
  const made: import('./made').Made;
  export default made;
}

declare module '$meaning/senses' {
  const made: import('./made').MadeSenses | null;
  export default made;
}
