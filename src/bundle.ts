// Exports of dist/main.cjs. The program (`bin/binnacle`) and the modules that start servers from JavaScript
// (`bin/index.mjs`, `bin/testing.mjs`) share one bundle, because they share most of the code.
export { main } from './process/main-program.ts'
export { startServer } from './process/start-server.ts'
export { partsOf } from './testing/running.ts'
export { startControlPlane } from './testing/start-control-plane.ts'
