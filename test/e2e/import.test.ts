import { copyFileSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import { runExport } from '../../src/commands/export.ts'
import { runImport } from '../../src/commands/import.ts'
import { snapshotState } from '../../src/storage/etcd-snapshot/read-snapshot.ts'
import { checkedSnapshot } from '../../src/storage/etcd-snapshot/snapshot-hash.ts'
import type { AnyObject } from '../support/any-object.ts'
import { encryptionFile, providerOf } from '../support/encryption-config.ts'
import { type EtcdServer, findEtcd, startEtcd } from '../support/etcd.ts'
import { createJsonClient, type JsonClient } from '../support/json-client.ts'
import { createServerProcess, type ServerProcess } from '../support/server-process.ts'
import { eventually } from '../support/waiting.ts'

const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps'
const EVENTS = '/api/v1/namespaces/default/events'
const FLOW_SCHEMAS = '/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas'
/** In which the certificates of a server are, or when it was there. */
const OF_SERVERS = /kube-root-ca\.crt|extension-apiserver-authentication|^apiserver-/
const LISTS = [
  '/api/v1/configmaps',
  '/api/v1/namespaces',
  '/api/v1/secrets',
  '/api/v1/serviceaccounts',
  '/api/v1/services',
  '/api/v1/events',
  '/apis/apps/v1/deployments',
  '/apis/rbac.authorization.k8s.io/v1/clusterroles',
  FLOW_SCHEMAS,
]

const isOnEtcd = findEtcd() !== undefined
;(isOnEtcd ? describe : describe.skip)(`binnacle import${isOnEtcd ? '' : ' (skipped: there is no etcd)'}`, () => {
  let directory = ''
  let snapshot = ''
  let encryption = ''
  /** Filled from the server while it ran. */
  let listed = ''
  let saidOfListed = ''
  const open: (ServerProcess | EtcdServer)[] = []
  const clients: JsonClient[] = []
  let existing: Record<string, AnyObject[]> = {}

  const serve = async (...flags: string[]): Promise<ServerProcess> => {
    const server = await createServerProcess([
      '--storage-media-type=application/vnd.kubernetes.protobuf',
      '--encryption-provider-config',
      encryption,
      ...flags,
    ])
    open.push(server)
    return server
  }
  const clientOf = (server: ServerProcess): JsonClient => {
    const client = createJsonClient(server.url)
    clients.push(client)
    return client
  }
  const objectsOf = async (client: JsonClient): Promise<Record<string, AnyObject[]>> => {
    const lists = await Promise.all(LISTS.map(async path => [path, (await client.must('GET', path)).items] as const))
    return Object.fromEntries(
      lists.map(([path, items]) => [path, items.filter(({ metadata }: AnyObject) => !OF_SERVERS.test(metadata.name ?? ''))]),
    )
  }
  const imported = (data: string, source = ['--snapshot', snapshot, '--skip-hash-check']): Promise<string> => {
    const said: string[] = []
    const say = (text: string): void => void said.push(text)
    return runImport([...source, '--data-dir', data], { out: say, err: say }).then(status => `${status} ${said.join('')}`)
  }

  before(async () => {
    directory = mkdtempSync(join(tmpdir(), 'binnacle-'))
    encryption = join(directory, 'encryption.json')
    writeFileSync(encryption, encryptionFile(['secrets'], providerOf('aescbc', 'key')))
    const etcd = await startEtcd(['--data-dir', join(directory, 'etcd')])
    open.push(etcd)
    const server = await serve('--etcd-servers', etcd.url)
    await server.start()
    const client = clientOf(server)
    const { metadata: owner } = await client.must('POST', CONFIG_MAPS, { metadata: { name: 'owner' } })
    for (const name of ['kept', 'gone']) {
      const ownerReferences = [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid: owner.uid }]
      const made = await client.must('POST', CONFIG_MAPS, { metadata: { name, ownerReferences }, data: { a: '1' } })
      await client.must('PUT', `${CONFIG_MAPS}/${name}`, { ...made, data: { a: '2' } })
    }
    await client.must('DELETE', `${CONFIG_MAPS}/gone`)
    await client.must('POST', '/api/v1/namespaces/default/secrets', { metadata: { name: 'encrypted' }, stringData: { a: 'b' } })
    await client.must('POST', EVENTS, { metadata: { name: 'event' }, involvedObject: { namespace: 'default' }, reason: 'Made' })
    await eventually('flow schemas say whether their levels are there', async () =>
      (await client.must('GET', FLOW_SCHEMAS)).items.every(({ status }: AnyObject) => status.conditions?.length > 0),
    )
    existing = await objectsOf(client)
    const newest = Number((await client.must('GET', CONFIG_MAPS)).metadata.resourceVersion)
    const kubeconfig = join(directory, 'kubeconfig')
    const config = {
      clusters: [{ name: 'a', cluster: { server: server.url } }],
      contexts: [{ name: 'a', context: { cluster: 'a' } }],
      'current-context': 'a',
    }
    writeFileSync(kubeconfig, JSON.stringify(config))
    listed = join(directory, 'listed')
    saidOfListed = await imported(listed, ['--kubeconfig', kubeconfig, '--encryption-provider-config', encryption])
    await server.terminate()
    // etcd writes its file a moment later.
    while (snapshotState(checkedSnapshot(join(directory, 'etcd/member/snap/db'), { skipHashCheck: true })).revision < newest)
      await sleep(50)
    await etcd.kill()
    snapshot = join(directory, 'snapshot.db')
    copyFileSync(join(directory, 'etcd/member/snap/db'), snapshot)
  })
  after(async () => {
    for (const client of clients) client.close()
    for (const one of open) await one.stop()
    rmSync(directory, { recursive: true, force: true })
  })

  it('restores every object of a snapshot unchanged', async () => {
    const server = await serve()
    const said = await imported(dirname(server.storeDir))
    expect(said).to.match(/^0 \d\d+ objects imported, as of resource version \d+\n$/)
    await server.start()
    const client = clientOf(server)
    const now = await objectsOf(client)
    for (const path of LISTS) expect(now[path], path).to.deep.equal(existing[path])
    expect(now['/api/v1/configmaps']?.map(({ metadata }) => metadata.name))
      .to.include('kept')
      .and.not.to.include('gone')
    expect(now['/api/v1/secrets']).to.have.length(1)
    // Clients may still write objects that they have read before.
    const kept = existing['/api/v1/configmaps']?.find(({ metadata }) => metadata.name === 'kept') as AnyObject
    const written = await client.must('PUT', `${CONFIG_MAPS}/kept`, { ...kept, data: { a: '3' } })
    expect(Number(written.metadata.resourceVersion)).to.be.greaterThan(Number(/version (\d+)/.exec(said)?.[1]))
    const { status } = await client.ask('GET', `${CONFIG_MAPS}?resourceVersion=5&resourceVersionMatch=Exact`)
    expect(status, 'older revisions count as compacted').to.equal(410)
    expect(await imported(dirname(server.storeDir)).catch((error: Error) => error.message)).to.contain('in use by process')
    await server.terminate()
    expect(await imported(dirname(server.storeDir)).catch((error: Error) => error.message)).to.contain('has a store already')
  })

  it('restores every object of a server that lists them', async () => {
    expect(saidOfListed).to.match(/^0 \d\d+ objects imported, as of resource version \d+\n$/)
    const server = await serve()
    mkdirSync(server.storeDir, { recursive: true })
    cpSync(join(listed, 'store'), server.storeDir, { recursive: true })
    await server.start()
    const now = await objectsOf(clientOf(server))
    for (const path of LISTS) expect(now[path], path).to.deep.equal(existing[path])
  })

  it('is reversed by an export, from which etcd restores every object', async () => {
    const file = join(directory, 'exported.db')
    const said: string[] = []
    const say = (text: string): void => void said.push(text)
    const data = join(directory, 'imported')
    await imported(data)
    expect(await runExport(['--data-dir', data, '--snapshot', file], { out: say, err: say })).to.equal(0)
    const { revision, leaseSeconds } = snapshotState(checkedSnapshot(file, { skipHashCheck: false }))
    expect(said.join('')).to.match(new RegExp(`^\\d\\d+ objects exported, as of resource version ${revision}\n$`))
    expect(Math.max(...leaseSeconds.values()), 'of events').to.be.within(3000, 3700)
    // A member that has no log takes what stands in its place: `etcdutl snapshot restore` writes the same without the
    // hash at its end.
    const member = join(directory, 'member')
    mkdirSync(join(member, 'member/snap'), { recursive: true })
    writeFileSync(join(member, 'member/snap/db'), readFileSync(file).subarray(0, -32))
    const etcd = await startEtcd(['--data-dir', member])
    open.push(etcd)
    const server = await serve('--etcd-servers', etcd.url)
    await server.start()
    const client = clientOf(server)
    const now = await objectsOf(client)
    for (const path of LISTS) expect(now[path], path).to.deep.equal(existing[path])
    const written = await client.must('POST', CONFIG_MAPS, { metadata: { name: 'later' } })
    expect(Number(written.metadata.resourceVersion)).to.be.greaterThan(revision)
    const run = (...argv: string[]): Promise<unknown> => runExport(argv, { out: say, err: say }).catch((error: Error) => error.message)
    expect(await run('--data-dir', data, '--snapshot', file)).to.contain('already exists: a snapshot is written to a new file')
    expect(await run('--data-dir', join(directory, 'nothing'), '--snapshot', join(directory, 'other.db'))).to.contain(
      'there is no store in',
    )
    expect(await run('--data-dir', data)).to.equal('--snapshot is required')
  })

  it('names missing flags', async () => {
    const run = (...argv: string[]): Promise<unknown> =>
      runImport(argv, { out: () => {}, err: () => {} }).catch((error: Error) => error.message)
    expect(await run('--snapshot', snapshot)).to.equal('--data-dir is required')
    expect(await run('--data-dir', directory, '--snapshots', snapshot)).to.equal('unknown flag: --snapshots; did you mean --snapshot?')
    expect(await run('--data-dir', directory, '--snapshot', import.meta.filename)).to.contain('is not a snapshot of etcd')
  })
})
