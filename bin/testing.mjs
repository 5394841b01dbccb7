// The module that `import 'binnacle/testing'` returns.
import { fileURLToPath } from 'node:url'
import { load } from './load.mjs'

const dist = fileURLToPath(new URL('../dist', import.meta.url))
const server = load(dist, 'main', false).run()
let explorer

export const { startControlPlane } = server

/** Its bundle is loaded at the first call. */
export const explore = async (...given) => {
  explorer ??= load(dist, 'explore', false).run().explorer(server)
  return explorer(...given)
}
