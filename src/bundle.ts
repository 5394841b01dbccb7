// What dist/main.cjs exports: one file for the program (`bin/binnacle`) and for JavaScript that starts servers (`bin/index.mjs`, `bin/testing.mjs`), which most of it is for.
export { main } from './process/main-program.ts'
export { startServer } from './process/start-server.ts'
export { startControlPlane } from './testing/start-control-plane.ts'
