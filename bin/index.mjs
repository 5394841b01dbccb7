// The module that `import 'binnacle'` returns.
import { fileURLToPath } from 'node:url'
import { load } from './load.mjs'

export const { startServer } = load(fileURLToPath(new URL('../dist', import.meta.url)), 'main', false).run()
