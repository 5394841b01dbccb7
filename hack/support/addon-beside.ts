import { createRequire } from 'node:module'
import type { Plugin } from 'esbuild'

const LMDB = createRequire(import.meta.url).resolve('lmdb')

/** Where the addon is that fits this platform, only the package knows, and the single executable, which has it within, and whose `require` looks for no files. */
const LOADER = `
const { createRequire } = require('node:module')
const { join } = require('node:path')
module.exports = () => {
  if (require.resolve === undefined) return require('lmdb.node')
  const lmdb = require.resolve('lmdb')
  return createRequire(lmdb)('node-gyp-build-optional-packages')(join(lmdb, '../..'))
}`

/** Takes LMDB's JavaScript into a bundle, where V8's compiled code of it is kept, and leaves its native part in the package. What msgpackr has a native part for is not used here. */
export const addonBeside: Plugin = {
  name: 'addon-beside',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^lmdb$/ }, ({ kind }) => (kind === 'require-resolve' ? { external: true } : { path: LMDB }))
    onResolve({ filter: /^lmdb\.node$/ }, ({ path }) => ({ path, external: true }))
    onResolve({ filter: /^msgpackr-extract$/ }, ({ path }) => ({ path, namespace: 'missing' }))
    onLoad({ filter: /.*/, namespace: 'missing' }, () => ({ contents: `throw new Error('it is not used')` }))
    onResolve({ filter: /^node-gyp-build-optional-packages$/ }, ({ path }) => ({ path, namespace: 'addon-beside' }))
    onLoad({ filter: /.*/, namespace: 'addon-beside' }, () => ({ contents: LOADER, resolveDir: import.meta.dirname }))
  },
}
