// The module that `import 'binnacle/check'` returns.
import { fileURLToPath } from 'node:url'
import { load } from './load.mjs'

export const { check } = load(fileURLToPath(new URL('../dist', import.meta.url)), 'check', false).run()
