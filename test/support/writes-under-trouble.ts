import { expect } from 'chai'
import type { AnyObject } from './any-object.ts'
import { createJsonClient, type JsonClient } from './json-client.ts'
import { configMap, type Load, type LoadOptions, startLoad } from './load.ts'
import { eventContradictions, type ResumingWatch, watchResuming } from './resuming-watch.ts'

export interface Trial {
  readonly client: JsonClient
  readonly load: Load
  readonly watch: ResumingWatch
  /** Path of the ConfigMaps that are written. */
  readonly collection: string
  /**
   * Ends the load, and compares: what writers were told, what a client has seen that watched all the time, what is
   * there, and what the store's history tells, unless it is compacted.
   */
  judge(options?: { readonly isCompacted: boolean }): Promise<void>
  close(): void
}

const CAUGHT_UP_MS = 120_000

/** A load of writes in a namespace of its own, which the seed names, and a watch of all of it. */
export async function startTrial(url: string, seed: number, options: Pick<LoadOptions, 'query' | 'pauseMs'> = {}): Promise<Trial> {
  const client = createJsonClient(url)
  const namespace = `load-${seed}`
  const collection = `/api/v1/namespaces/${namespace}/configmaps`
  await client.must('POST', '/api/v1/namespaces', { kind: 'Namespace', apiVersion: 'v1', metadata: { name: namespace } })
  // kube-root-ca.crt comes by itself.
  const begin = (await client.must('GET', collection)) as AnyObject & { items: AnyObject[] }
  const from = begin.metadata.resourceVersion ?? ''
  const known = begin.items.map(item => item.metadata.name)
  const watch = watchResuming(url, collection, from)
  const load = await startLoad(client, { clients: 16, namespace, seed, ...options })
  return {
    client,
    load,
    watch,
    collection,
    async judge({ isCompacted } = { isCompacted: false }) {
      await load.stop()
      await client.must('POST', collection, configMap('end', {}))
      await watch.until('end', CAUGHT_UP_MS)
      const items = ((await client.must('GET', collection)).items as AnyObject[]).filter(({ metadata }) => !known.includes(metadata.name))
      expect(load.unexpected, 'answers that no outage explains').to.deep.equal([])
      expect(load.ledger.false, 'acknowledgements of something else').to.deep.equal([])
      expect(load.ledger.contradictions(items), 'acknowledged writes').to.deep.equal([])
      const shared = items.find(({ metadata }) => metadata.name === 'shared')
      expect(load.ledger.shared.contradictions(shared?.data ?? {}), 'acknowledged patches of the shared object').to.deep.equal([])
      expect(watch.faults, 'ends of the watch').to.deep.equal([])
      const events = watch.events.filter(event => !known.includes(event.name))
      expect(eventContradictions(events, load.ledger.acknowledged, items), 'events').to.deep.equal([])
      if (isCompacted) return
      const afresh = watchResuming(url, collection, from)
      try {
        await afresh.until('end', CAUGHT_UP_MS)
        expect(afresh.events, 'the history that a new watch is given').to.deep.equal(watch.events)
      } finally {
        afresh.stop()
      }
    },
    close() {
      // Writers are not awaited, but must stop after a failed trial.
      void load.stop()
      watch.stop()
      client.close()
    },
  }
}
