/** SQL files are loaded as text: by the build, and by a small plugin in the tests. */
declare module '*.sql' {
  const text: string
  export default text
}
