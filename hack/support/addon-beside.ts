import { createRequire } from 'node:module'
import type { Plugin } from 'esbuild'

const LMDB = createRequire(import.meta.url).resolve('lmdb')

/**
 * Where the addon is that fits this platform, only the package knows, and the single executable, which has it within,
 * and whose `require` looks for no files.
 */
const LOADER = `
const { createRequire } = require('node:module')
const { join } = require('node:path')
module.exports = () => {
  if (require.resolve === undefined) return require('lmdb.node')
  const lmdb = require.resolve('lmdb')
  return createRequire(lmdb)('node-gyp-build-optional-packages')(join(lmdb, '../..'))
}`

/**
 * Loads the addon of file locks, which is named by its platform. Its prebuilt file for Linux needs of the C library
 * only what glibc and musl share, while the package itself looks for another one on Alpine.
 */
const LOCK_LOADER = `
const installed = 'fs-native-extensions/prebuilds/' + process.platform + '-' + process.arch + '/fs-native-extensions.node'
module.exports = require.resolve === undefined ? require('fs-native-extensions.node') : require(installed)`

/**
 * Bundles the JavaScript of packages that have addons, so that V8's compiled code of it is kept, and leaves the addons
 * in the packages. The addon of msgpackr is left out, because nothing here needs it.
 */
export const addonBeside: Plugin = {
  name: 'addon-beside',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^lmdb$/ }, ({ kind }) => (kind === 'require-resolve' ? { external: true } : { path: LMDB }))
    onResolve({ filter: /^lmdb\.node$/ }, ({ path }) => ({ path, external: true }))
    onResolve({ filter: /^\.\/binding$/ }, ({ path, importer }) =>
      importer.includes('/fs-native-extensions/') ? { path, namespace: 'lock-beside' } : undefined,
    )
    onLoad({ filter: /.*/, namespace: 'lock-beside' }, () => ({ contents: LOCK_LOADER, resolveDir: import.meta.dirname }))
    onResolve({ filter: /^fs-native-extensions\.node$/ }, ({ path }) => ({ path, external: true }))
    onResolve({ filter: /^msgpackr-extract$/ }, ({ path }) => ({ path, namespace: 'missing' }))
    onLoad({ filter: /.*/, namespace: 'missing' }, () => ({ contents: `throw new Error('it is not used')` }))
    onResolve({ filter: /^node-gyp-build-optional-packages$/ }, ({ path }) => ({ path, namespace: 'addon-beside' }))
    onLoad({ filter: /.*/, namespace: 'addon-beside' }, () => ({ contents: LOADER, resolveDir: import.meta.dirname }))
  },
}
