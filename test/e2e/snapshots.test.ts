import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect } from 'chai'
import { ClusterError } from '../../src/clients/cluster-client.ts'
import { runSnapshot } from '../../src/commands/snapshot.ts'
import { ArgumentError } from '../../src/lib/arguments.ts'
import { startControlPlane } from '../../src/testing/start-control-plane.ts'
import type { AnyObject } from '../support/any-object.ts'
import { createJsonClient, type JsonClient } from '../support/json-client.ts'
import { createServerProcess, type ServerProcess } from '../support/server-process.ts'

const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps'
const PATH = '/binnacle/v1/snapshot'

const configMap = (name: string, colour: string) => ({ kind: 'ConfigMap', apiVersion: 'v1', metadata: { name }, data: { colour } })

async function run(...argv: string[]): Promise<string> {
  const out: string[] = []
  await runSnapshot(argv, { out: text => void out.push(text), err: () => {} })
  return out.join('')
}
const failure = (...argv: string[]): Promise<string> =>
  run(...argv).catch((error: unknown) => {
    if (error instanceof ClusterError || error instanceof ArgumentError) return error.message
    throw error
  })

describe('binnacle snapshot', () => {
  let directory: string
  const open: (ServerProcess | JsonClient)[] = []

  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'snapshots-'))
  })
  afterEach(async () => {
    for (const each of open.splice(0)) await ('stop' in each ? each.stop() : each.close())
    rmSync(directory, { recursive: true, force: true })
  })

  it('saves a running server during writes, and another server continues from it', async () => {
    const [server, other] = [await createServerProcess(['--history=1h']), await createServerProcess(['--history=1h'])]
    await server.start()
    const client = createJsonClient(server.url)
    open.push(server, other, client)
    await client.must('POST', CONFIG_MAPS, configMap('a', 'red'))
    const blue = await client.must('PUT', `${CONFIG_MAPS}/a`, configMap('a', 'blue'))
    for (let i = 0; i < 300; i++) await client.must('POST', CONFIG_MAPS, configMap(`large-${i}`, 'x'.repeat(5000)))
    const before = await client.must('GET', CONFIG_MAPS)
    let isSaving = true
    const writing = (async () => {
      for (let i = 0; isSaving; i++) await client.must('PUT', `${CONFIG_MAPS}/a`, configMap('a', `meanwhile ${i}`))
    })()
    const file = join(directory, 'snapshot')
    const said = await run('save', file, '--kubeconfig', server.kubeconfig)
    isSaving = false
    await writing
    expect(said).to.match(/^saved revision \d+, history from revision \d+ on\n$/)
    expect(statSync(file).mode & 0o777).to.equal(0o600)
    expect(await run('status', file)).to.equal(said.replace('saved ', ''))
    expect(await run('restore', file, '--data-dir', dirname(other.storeDir))).to.match(/^\d+ changes restored, up to revision \d+\n$/)
    await other.start()
    const copy = createJsonClient(other.url)
    open.push(copy)
    const restored = (await copy.must('GET', CONFIG_MAPS)).items as AnyObject[]
    const others = (items: AnyObject[]) => items.filter(({ metadata }) => metadata.name !== 'a' && metadata.name !== 'kube-root-ca.crt')
    expect(others(restored)).to.deep.equal(others(before.items))
    const history = await copy.must('GET', `/binnacle/v1/history${CONFIG_MAPS}/a`)
    expect(history.items.at(-2).object).to.deep.equal(blue)
    expect(history.items.at(-1).object.data.colour).to.equal('red')
    // It goes on with the next revision.
    const next = await copy.must('PUT', `${CONFIG_MAPS}/a`, configMap('a', 'green'))
    expect(next.metadata.uid).to.equal(blue.metadata.uid)
    expect(Number(next.metadata.resourceVersion)).to.be.greaterThan(Number(/\d+/.exec(said)?.[0]))
  })

  it('requires the right to read everything', async () => {
    const plane = await startControlPlane({})
    try {
      const rights = (name: string, rules: object[]) => [
        { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole', metadata: { name }, rules },
        {
          apiVersion: 'rbac.authorization.k8s.io/v1',
          kind: 'ClusterRoleBinding',
          metadata: { name },
          roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name },
          subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name }],
        },
      ]
      const path = { nonResourceURLs: ['*'], verbs: ['*'] }
      await plane.apply(
        ...rights('path', [path]),
        ...rights('much', [path, { apiGroups: ['', 'apps'], resources: ['*'], verbs: ['*'] }]),
        ...rights('list', [path, { apiGroups: ['*'], resources: ['*'], verbs: ['list', 'watch'] }]),
        ...rights('only', [{ apiGroups: ['*'], resources: ['*'], verbs: ['get'] }]),
        ...rights('all', [path, { apiGroups: ['*'], resources: ['*'], verbs: ['get'] }]),
      )
      const all = await plane.user('all')
      await plane.until(async () => (await all.request('GET', PATH)).status === 200)
      for (const name of ['path', 'much', 'list', 'only', 'nobody'])
        expect((await (await plane.user(name)).request('GET', PATH)).status, name).to.equal(403)
      writeFileSync(join(directory, 'kubeconfig'), (await plane.user('path')).kubeconfig)
      const file = join(directory, 'snapshot')
      expect(await failure('save', file, '--kubeconfig', join(directory, 'kubeconfig'))).to.match(
        /403 .*User "path" cannot get resource "\*" in API group "\*"/,
      )
      expect(() => statSync(file)).to.throw('ENOENT')
      // Existing files are kept.
      writeFileSync(join(directory, 'kubeconfig'), plane.kubeconfig)
      writeFileSync(file, 'mine')
      expect(await run('save', file, '--kubeconfig', join(directory, 'kubeconfig')).catch((error: Error) => error.message)).to.match(
        /already exists: a snapshot is saved to a new file/,
      )
      expect(readFileSync(file, 'utf8')).to.equal('mine')
    } finally {
      await plane.stop()
    }
  })

  it('reports usage errors', async () => {
    expect(await failure('save')).to.match(/^an action \(save, restore or status\) and a file are required/)
    expect(await failure('send', 'file')).to.equal('snapshot send: must be save, restore or status')
    expect(await failure('restore', 'file')).to.equal('--data-dir is required: a directory without a store')
    expect(await failure('restore', 'file', '--server')).to.match(/^--server: a snapshot is not restored into a running server/)
  })
})
