import type { Plugin } from 'esbuild'

/**
 * Koa knows the types of 2,500 kinds of files, twice, and reads all of them when it is loaded. Responses of this server
 * set their type themselves, and `src` uses no part of Koa that looks one up.
 */
export const withoutMimeTypes: Plugin = {
  name: 'without-mime-types',
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]mime-db[\\/]db\.json$/ }, () => ({ contents: '{}', loader: 'json' }))
  },
}
