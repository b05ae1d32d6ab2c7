// The package has these types, but not beside the file that is imported.
declare module '@messageformat/core/compile-module' {
  export { default } from '@messageformat/core/lib/compile-module';
}
