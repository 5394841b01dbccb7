import type { ServedResource } from '../../catalog/catalog.ts'
import { labelSelectorOf } from '../../meta/label-selector.ts'
import type { ResourceReader } from '../../registry/resource-reader.ts'
import type { ParamReader } from './params.ts'

/** Returns a reader of param objects that uses the watch caches. */
export const paramReader = (readerOf: (served: ServedResource) => ResourceReader): ParamReader => ({
  get: async (served, namespace, name, signal) => (await readerOf(served).get(served, namespace, name, '0', signal)).object(),
  async list(served, namespace, selector, signal) {
    const options = {
      fields: [],
      resourceVersion: '0',
      resourceVersionMatch: '',
      limit: 0,
      continue: '',
      allowWatchBookmarks: false,
    } as const
    const { items } = await readerOf(served).list(served, namespace, { ...options, labels: labelSelectorOf(selector) }, signal)
    return items.map(item => item.object())
  },
})
