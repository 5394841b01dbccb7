import type { Plugin } from 'esbuild'

/** Koa knows the types of 2,500 kinds of files, twice, and reads all of them when it is loaded. What this server answers says its type itself: `src` uses nothing of Koa's that would ask. */
export const withoutMimeTypes: Plugin = {
  name: 'without-mime-types',
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]mime-db[\\/]db\.json$/ }, () => ({ contents: '{}', loader: 'json' }))
  },
}
