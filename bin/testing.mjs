// The module that `import 'binnacle/testing'` returns.
import { fileURLToPath } from 'node:url'
import { load } from './load.mjs'

export const { startControlPlane } = load(fileURLToPath(new URL('../dist', import.meta.url)), 'main', false).run()
