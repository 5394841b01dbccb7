import { expect } from 'chai'
import { silentLogger } from '../../src/lib/log.ts'
import { openEtcd } from '../../src/storage/etcd/open-etcd.ts'
import { prefixEnd } from '../../src/storage/key-range.ts'
import { key } from '../../src/storage/revision.ts'
import { never } from '../support/backend.ts'
import { type EtcdServer, findEtcds, startEtcd } from '../support/etcd.ts'
import { createJsonClient, type JsonClient } from '../support/json-client.ts'
import { configMap } from '../support/load.ts'
import { createServerProcess, type ServerProcess } from '../support/server-process.ts'
import { eventually } from '../support/waiting.ts'

const COLLECTION = '/api/v1/namespaces/default/configmaps'
const FOUND = findEtcds()

if (FOUND.length === 0) describe.skip('etcd restored under a server (skipped: there is no etcd here; hack/etcd installs one)', () => {})
for (const { path, version } of FOUND)
  describe(`etcd ${version} restored under a server`, () => {
    let etcd: EtcdServer
    let server: ServerProcess
    let client: JsonClient
    const create = async (name: string): Promise<string> =>
      (await client.must('POST', COLLECTION, configMap(name, {}))).metadata.resourceVersion ?? ''
    const names = async (query = ''): Promise<string[]> =>
      (await client.must('GET', COLLECTION + query)).items.map(({ metadata }: { metadata: { name: string } }) => metadata.name).sort()
    const stored = async (): Promise<string[]> => {
      const backend = await openEtcd({ servers: [etcd.url] }, silentLogger)
      const start = key('/registry/configmaps/default/')
      const { items } = await backend.range({ start, end: prefixEnd(start), keysOnly: true }, never)
      await backend.close()
      return items.map(item => item.key.slice(start.length))
    }
    /** Resolves once the server has accepted the watch, or refused it. */
    const openWatch = (from: string): Promise<Response> => fetch(`${server.url}${COLLECTION}?watch=1&resourceVersion=${from}`)
    /** Resolves with the whole stream when it ends. */
    const watch = async (from: string): Promise<string> => (await openWatch(from)).text()
    const write = async (name: string): Promise<void> => {
      const backend = await openEtcd({ servers: [etcd.url] }, silentLogger)
      await backend.write(
        { key: key(`/registry/configmaps/default/${name}`), expected: 0, value: Buffer.from(JSON.stringify(configMap(name, {}))) },
        never,
      )
      await backend.close()
    }

    before(async () => {
      etcd = await startEtcd([], path)
      server = await createServerProcess(['--etcd-servers', etcd.url])
      await server.start()
      client = createJsonClient(server.url)
      // It would be created at any time later, and is in the copy this way.
      await eventually('the certificate is published', async () => (await names()).includes('kube-root-ca.crt'))
    })
    after(async () => {
      client?.close()
      await server?.stop()
      await etcd?.stop()
    })

    const restore = async (undone: readonly string[], others: readonly string[]): Promise<{ last: string; watched: string }> => {
      await etcd.kill()
      const putBack = etcd.copy()
      await etcd.start()
      await eventually('the server is ready', async () => (await client.ask('GET', '/readyz')).status === 200)
      const from = await create('before')
      const watched = await openWatch(from)
      let last = ''
      for (const name of undone) last = await create(name)
      await eventually('the cache has it', async () =>
        (await names(`?resourceVersion=${last}&resourceVersionMatch=NotOlderThan`)).includes('before'),
      )
      // It sees the copy only once all is written.
      server.signal('SIGSTOP')
      await etcd.kill()
      putBack()
      await etcd.start()
      for (const name of others) await write(name)
      server.signal('SIGCONT')
      return { last, watched: await watched.text() }
    }

    it('ends watches with 410, lists the stored objects, and rejects versions of the lost history', async () => {
      const { last, watched } = await restore(
        Array.from({ length: 50 }, (_, i) => `undone-${i}`),
        [],
      )
      expect(JSON.parse(watched.trimEnd().split('\n').at(-1) ?? ''))
        .to.deep.include({ type: 'ERROR' })
        .and.to.have.nested.property('object.code', 410)
      expect(await names()).to.deep.equal(await stored())
      expect(await names('?resourceVersion=0')).to.deep.equal(await stored())
      expect(JSON.parse((await watch(last)).trimEnd()), 'a watch that resumes later').to.have.nested.property('object.code', 410)
      const { status, body } = await client.ask('GET', `${COLLECTION}?resourceVersion=${Number(last) + 1000}`)
      expect(status).to.equal(504)
      expect(body.message).to.match(/^Timeout: Too large resource version: /)
      expect(server.log()).to.include('it was restored from a copy')
    })

    it('ends them too if others have written more than was undone before the server reconnects', async () => {
      const { watched } = await restore(
        ['undone'],
        Array.from({ length: 20 }, (_, i) => `other-${i}`),
      )
      expect(JSON.parse(watched.trimEnd().split('\n').at(-1) ?? '')).to.have.nested.property('object.code', 410)
      expect(await names('?resourceVersion=0')).to.deep.equal(await stored())
      expect(await names())
        .to.include('other-19')
        .and.not.to.include('undone')
    })
  })
