import { expect } from 'chai'
import { silentLogger } from '../../src/lib/log.ts'
import { openEtcd } from '../../src/storage/etcd/open-etcd.ts'
import { keyspaceEnd, keyspaceStart } from '../../src/storage/key-range.ts'
import { never } from '../support/backend.ts'
import { OVERRIDDEN, type RunningStore, usualStoreSetups } from '../support/etcd-setups.ts'
import { createJsonClient, type JsonClient } from '../support/json-client.ts'
import { configMap } from '../support/load.ts'
import { watchResuming } from '../support/resuming-watch.ts'
import { createServerProcess, type ServerProcess } from '../support/server-process.ts'
import { eventually } from '../support/waiting.ts'

const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps'
const PREFIX = '/tenant'

const FOLLOWING = {
  progress: `a watch over ${PREFIX}/ with its progress`,
  revisions: 'a watch over all keys without a gap in their revisions',
  events: `a watch over ${PREFIX}/ without progress: consistent reads are served by the store`,
}

for (const setup of usualStoreSetups(PREFIX))
  describe(`a server on ${setup.name}`, () => {
    let store: RunningStore
    let server: ServerProcess
    let client: JsonClient

    before(async () => {
      store = await setup.start()
      server = await createServerProcess([...store.flags, '--etcd-compaction-interval=1s'])
      await server.start()
      client = createJsonClient(server.url)
    })
    after(async () => {
      client?.close()
      await server?.stop()
      await store?.stop()
    })

    it('reports how it follows the store, once in its log and in readiness', async () => {
      const report = await fetch(`${server.url}/readyz?verbose`).then(answer => answer.text())
      expect(report).to.include(`[+]etcd ok: ${FOLLOWING[setup.following]}\n`)
      expect(server.log().split('following the store').length - 1).to.equal(setup.use === 'overrides' ? 2 : 1)
    })

    it('serves writes, consistent lists and watches', async () => {
      const { metadata } = await client.must('GET', CONFIG_MAPS)
      const watch = watchResuming(server.url, CONFIG_MAPS, metadata.resourceVersion ?? '')
      const names = Array.from({ length: 20 }, (_, i) => `c${i}`)
      for (const name of names) {
        await client.must('POST', CONFIG_MAPS, configMap(name, { a: '1' }))
        const { items } = await client.must('GET', CONFIG_MAPS)
        expect((items as { metadata: { name: string } }[]).map(item => item.metadata.name)).to.include(name)
      }
      for (const name of names) await watch.until(name, 60_000)
      watch.stop()
      expect(watch.faults).to.deep.equal([])
      expect(watch.events.map(({ name }) => name).filter(name => names.includes(name))).to.deep.equal(names)
    })

    it('serves a kind that is defined later', async () => {
      const group = 'example.com'
      const versions = [
        {
          name: 'v1',
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
        },
      ]
      const names = { plural: 'widgets', singular: 'widget', kind: 'Widget', listKind: 'WidgetList' }
      await client.must('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', {
        apiVersion: 'apiextensions.k8s.io/v1',
        kind: 'CustomResourceDefinition',
        metadata: { name: `widgets.${group}` },
        spec: { group, names, scope: 'Namespaced', versions },
      })
      const path = `/apis/${group}/v1/namespaces/default/widgets`
      const widget = { apiVersion: `${group}/v1`, kind: 'Widget', metadata: { name: 'a' } }
      await eventually('the kind is served', async () => (await client.ask('POST', path, { body: widget })).status === 201, 50)
      await eventually('its list is served', async () => (await client.ask('GET', path)).status === 200, 50)
      expect((await client.must('GET', path)).items).to.have.length(1)
    })

    it('reads and writes nothing outside its prefix but compact_rev_key', async () => {
      const denied = 'this server does not compact the store'
      if (setup.use === 'tenant') await eventually('compaction is denied', () => server.log().includes(denied))
      expect(server.log().split(denied).length - 1).to.equal(setup.use === 'tenant' ? 1 : 0)
      expect(server.log()).not.to.match(/permission denied/)
      const others = await openEtcd(store.administrator ?? store.options, silentLogger)
      const { items } = await others.range({ start: keyspaceStart, end: keyspaceEnd, keysOnly: true }, never)
      await others.close()
      // kine itself makes the key `/registry/health`.
      expect(
        items
          .map(({ key }) => key)
          .filter(key => !key.startsWith(`${PREFIX}/`) && !/^(\/foreign\/|compact_rev_key|\/registry\/health$)/.test(key)),
      ).to.deep.equal([])
      if (setup.use === 'overrides') {
        const resources = items.flatMap(({ key }) => (key.startsWith(`${PREFIX}/`) ? [key.split('/')[2]] : []))
        expect(resources.filter(resource => !OVERRIDDEN.includes(resource ?? ''))).to.deep.equal([])
      }
    })
  })
