import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { type RequestOptions, request } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { runAt } from '../../src/commands/mounts/at.ts'
import { runBranch } from '../../src/commands/mounts/branch.ts'
import { runMerge } from '../../src/commands/mounts/merge.ts'
import { startControlPlane } from '../../src/testing/start-control-plane.ts'
import type { ClientResponse, ControlPlane, Manifest, User } from '../../src/testing/types.ts'
import type { AnyObject } from '../support/any-object.ts'

const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps'
const BRANCHES = '/binnacle/v1/branches'
const configMap = (name: string, value = 'v'): Manifest => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data: { value } })

const WIDGETS = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.dev}
spec:
  group: example.dev
  scope: Namespaced
  names: {plural: widgets, kind: Widget}
  versions:
  - {name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {size: {type: integer}}}}}}}
---
apiVersion: example.dev/v1
kind: Widget
metadata: {name: first, namespace: default}
spec: {size: 3}
`

const clusterRole = (name: string, rules: object[], subject: string): Manifest[] => [
  { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole', metadata: { name }, rules },
  {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRoleBinding',
    metadata: { name },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name },
    subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: subject }],
  },
]

describe('moments and branches', () => {
  let server: ControlPlane
  const dir = mkdtempSync(join(tmpdir(), 'branches-'))
  let branches = 0

  before(async () => {
    server = await startControlPlane({ flags: { branches: 40, moments: 2, 'branch-bytes': 2_000_000 } })
    await server.apply(configMap('a', 'old'), WIDGETS)
  })
  after(async () => {
    await server.stop()
    rmSync(dir, { recursive: true, force: true })
  })

  const body = async (answer: Promise<ClientResponse>, status = 200): Promise<AnyObject> => {
    const { status: got, body } = await answer
    expect(got, JSON.stringify(body)).to.equal(status)
    return body as AnyObject
  }
  const status = async (answer: Promise<ClientResponse>): Promise<number> => (await answer).status
  const newest = async (): Promise<number> =>
    Number((await body(server.request('GET', '/api/v1/namespaces?limit=1'))).metadata.resourceVersion)
  /** The path of a new branch. */
  const branch = async (at?: number): Promise<string> =>
    (await body(server.request('POST', BRANCHES, { body: { name: `b${++branches}`, ...(at && { at }) } }), 201)).path
  const names = async (path: string, of = server): Promise<string[]> =>
    (await body(of.request('GET', path))).items
      .map((item: AnyObject) => item.metadata.name)
      .filter((name: string) => name !== 'kube-root-ca.crt')
  const failed = (run: Promise<unknown>): Promise<string> =>
    run.then(
      () => 'it succeeds',
      (error: Error) => error.message,
    )
  /** Nothing is made of the path on the way. */
  const asSent = (path: string, options: RequestOptions): Promise<number> =>
    new Promise((resolve, reject) => {
      request(server.url, { ca: server.certificateAuthority, ...options, path }, answer => {
        answer.resume()
        resolve(answer.statusCode ?? 0)
      })
        .on('error', reject)
        .end()
    })
  const kubectl = async (path: string, ...args: string[]): Promise<string> => {
    const file = join(dir, 'kubeconfig')
    writeFileSync(file, server.kubeconfig.replace(server.url, server.url + path))
    const { stdout, stderr } = await promisify(execFile)('kubectl', [
      '--kubeconfig',
      file,
      `--cache-dir=${join(dir, path.replaceAll('/', '-'))}`,
      ...args,
    ]).catch((failed: { stdout: string; stderr: string }) => failed)
    return stdout + stderr
  }

  describe('a moment', () => {
    let at: string
    let revision: number
    before(async () => {
      revision = await newest()
      at = `/binnacle/at/${revision}`
      await server.request('PUT', `${CONFIG_MAPS}/a`, { body: configMap('a', 'new') })
      await server.apply(configMap('later'))
      await server.request('DELETE', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions/widgets.example.dev')
    })

    it('serves the objects and versions of its time, custom kinds included', async () => {
      expect((await body(server.request('GET', `${at}${CONFIG_MAPS}/a`))).data.value).to.equal('old')
      expect(await names(at + CONFIG_MAPS)).to.deep.equal(['a'])
      const list = await body(server.request('GET', `${at}/apis/example.dev/v1/widgets`))
      expect([list.items[0].spec.size, list.metadata.resourceVersion]).to.deep.equal([3, String(revision)])
      expect(await status(server.request('GET', `${at}/openapi/v3/apis/example.dev/v1`))).to.equal(200)
    })
    it('is read-only, and calls no other server', async () => {
      const refused = await body(server.request('DELETE', `${at}${CONFIG_MAPS}/a`), 405)
      expect(refused).to.include({
        kind: 'Status',
        reason: 'MethodNotAllowed',
        message: 'a moment of the past is read-only: objects cannot be changed',
      })
      for (const [method, path] of [
        ['POST', CONFIG_MAPS],
        ['PUT', `${CONFIG_MAPS}/a`],
        ['PATCH', `${CONFIG_MAPS}/a`],
        ['DELETE', CONFIG_MAPS],
        ['POST', '/api/v1/namespaces/default/serviceaccounts/default/token'],
        ['POST', '/apis/example.dev/v1/namespaces/default/widgets'],
        ['GET', '/api/v1/namespaces/default/pods/x/exec'],
        ['GET', '/api/v1/namespaces/default/pods/x/log'],
        ['GET', '/api/v1/namespaces/default/services/x/proxy/'],
        ['GET', '/api/v1/nodes/x/proxy/'],
      ] as const)
        expect(
          await status(server.request(method, at + path, method === 'GET' || method === 'DELETE' ? {} : { body: {} })),
          `${method} ${path}`,
        ).to.equal(405)
    })
    it('serves kubectl: tables, explain, watches', async () => {
      expect(await kubectl(at, 'get', 'widgets', '-o', 'wide')).to.match(/first/)
      expect(await kubectl(at, 'get', 'cm', '-o', 'name')).to.equal('configmap/a\nconfigmap/kube-root-ca.crt\n')
      expect(await kubectl(at, 'explain', 'widgets.spec')).to.include('size')
      expect(await kubectl(at, 'create', 'cm', 'new')).to.include('read-only')
      expect(await kubectl(at, 'get', 'cm', '--watch', '--request-timeout=1s', '-o', 'name')).to.include('configmap/a')
    })
    it('sends initial events and bookmarks to watches', async () => {
      const query = 'watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true&timeoutSeconds=1'
      const { body: text } = await server.request('GET', `${at}${CONFIG_MAPS}?${query}`)
      const events = String(text)
        .trim()
        .split('\n')
        .map(line => JSON.parse(line) as AnyObject)
      expect(events.map(({ type }) => type)).to.deep.equal(['ADDED', 'ADDED', 'BOOKMARK'])
      expect(events[2]?.object.metadata.resourceVersion).to.equal(String(revision))
    })
    it('does not exist for a future or compacted revision', async () => {
      expect(await status(server.request('GET', `/binnacle/at/${revision + 100_000}/api/v1/namespaces`))).to.equal(404)
      expect(await status(server.request('GET', `/binnacle/at/1/api/v1/namespaces`))).to.equal(410)
    })
    it('is one of a limited number', async () => {
      const now = await newest()
      const asked = Array.from({ length: 60 }, (_, i) => server.request('GET', `/binnacle/at/${now - (i % 10)}/api/v1/namespaces`))
      const answers = (await Promise.all(asked)).map(({ status }) => status)
      expect(answers.filter(each => each !== 200 && each !== 429)).to.deep.equal([])
      expect(answers).to.include(200)
      const { body: metrics } = await server.request('GET', '/metrics')
      expect(/^binnacle_moments_open (\d+)$/m.exec(String(metrics))?.[1]).to.equal('2')
      expect(await status(server.request('GET', '/api/v1/namespaces'))).to.equal(200)
    })
    it('authorizes the path and the object with the current rules', async () => {
      const user = await server.user('reader')
      const get = (): Promise<number> => status(user.request('GET', `${at}${CONFIG_MAPS}/a`))
      expect(await get()).to.equal(403)
      await server.apply(...clusterRole('paths', [{ nonResourceURLs: ['/binnacle/at/*'], verbs: ['get'] }], 'reader'))
      await server.until(async () => (await user.request('GET', `${at}/version`)).status === 200)
      expect(await get()).to.equal(403)
      await server.apply(...clusterRole('maps', [{ apiGroups: [''], resources: ['configmaps'], verbs: ['get'] }], 'reader'))
      await server.until(async () => (await get()) === 200)
      expect(await status(user.request('GET', `${at}/api/v1/namespaces/default/secrets`))).to.equal(403)
      expect(
        await status(
          user.request('GET', `${at}/api/v1/namespaces/default/secrets`, {
            headers: { 'impersonate-user': 'x', 'impersonate-group': 'system:masters' },
          }),
        ),
      ).to.equal(403)
    })
  })

  describe('a branch', () => {
    it('starts as a copy, and then changes on its own', async () => {
      await server.apply(configMap('shared', 'base'))
      const path = await branch()
      const before = await names(CONFIG_MAPS)
      expect(await names(path + CONFIG_MAPS)).to.deep.equal(before)
      await body(server.request('POST', path + CONFIG_MAPS, { body: configMap('own') }), 201)
      await body(server.request('PUT', `${path}${CONFIG_MAPS}/shared`, { body: configMap('shared', 'branch') }))
      await server.apply(configMap('base-only'))
      expect(await names(CONFIG_MAPS)).to.deep.equal([...before, 'base-only'].toSorted())
      expect(await names(path + CONFIG_MAPS)).to.deep.equal([...before, 'own'].toSorted())
      expect((await body(server.request('GET', `${CONFIG_MAPS}/shared`))).data.value).to.equal('base')
      expect((await body(server.request('GET', `${path}${CONFIG_MAPS}/shared`))).data.value).to.equal('branch')
    })
    it('can start in the past', async () => {
      await server.apply(configMap('gone'))
      const then = await newest()
      await server.request('DELETE', `${CONFIG_MAPS}/gone`)
      expect(await names(`${await branch(then)}${CONFIG_MAPS}`)).to.include('gone')
      await body(server.request('POST', BRANCHES, { body: { name: 'future', at: then + 1_000_000 } }), 404)
      await body(server.request('POST', BRANCHES, { body: { name: 'past', at: 1 } }), 410)
    })
    it('runs controllers, watches and custom kinds of its own', async () => {
      const path = await branch()
      expect(await kubectl(path, 'create', 'namespace', 'branch-only')).to.include('created')
      await server.until(
        async () => (await server.request('GET', `${path}/api/v1/namespaces/branch-only/serviceaccounts/default`)).status === 200,
      )
      expect(await status(server.request('GET', '/api/v1/namespaces/branch-only'))).to.equal(404)
      writeFileSync(join(dir, 'widgets.yaml'), WIDGETS)
      await kubectl(path, 'apply', '--server-side', '-f', join(dir, 'widgets.yaml'))
      await server.until(async () => /first/.test(await kubectl(path, 'apply', '--server-side', '-f', join(dir, 'widgets.yaml'))))
      expect(await kubectl(path, 'get', 'widgets')).to.include('first')
      await server.until(async () => (await server.request('GET', '/apis/example.dev/v1/widgets')).status === 404)
      expect(await kubectl(path, 'delete', 'namespace', 'branch-only', '--timeout=20s')).to.include('deleted')
    })
    it('lists the changes that a merge would make', async () => {
      await server.apply(configMap('one', 'x'), configMap('two', 'x'), configMap('three', 'x'))
      const path = await branch()
      const put = (at: string, name: string, value: string): Promise<ClientResponse> =>
        server.request('PUT', `${at}${CONFIG_MAPS}/${name}`, { body: configMap(name, value) })
      await put(path, 'one', 'branch')
      await put(path, 'two', 'branch')
      await put('', 'two', 'base')
      await server.request('DELETE', `${path}${CONFIG_MAPS}/three`)
      await server.request('POST', path + CONFIG_MAPS, { body: configMap('four') })
      await put(path, 'shared', 'same')
      await put('', 'shared', 'same')
      const { items } = await body(server.request('GET', `${BRANCHES}/${path.split('/').at(-1)}/changes`))
      const told = items
        .filter(({ resource }: AnyObject) => resource === 'configmaps')
        .map(({ name, change, conflict }: AnyObject) => [name, change, conflict])
      expect(told).to.deep.equal([
        ['four', 'created', false],
        ['one', 'updated', false],
        ['three', 'deleted', false],
        ['two', 'updated', true],
      ])
      expect(items.find(({ name }: AnyObject) => name === 'two')).to.deep.include({ path: `${CONFIG_MAPS}/two` })
    })
    it('is deleted with its open requests and watches', async () => {
      const path = await branch()
      const watch = server.request('GET', `${path}${CONFIG_MAPS}?watch=true`)
      await server.until(async () => (await server.request('GET', path + CONFIG_MAPS)).status === 200)
      await body(server.request('DELETE', `${BRANCHES}/${path.split('/').at(-1)}`))
      await watch
      expect(await status(server.request('GET', path + CONFIG_MAPS))).to.equal(404)
    })
    it('is limited in size and in number', async () => {
      const path = await branch()
      const large = (name: string): Manifest => ({ ...configMap(name), data: { value: 'x'.repeat(900_000) } })
      const answers = []
      for (const name of ['l1', 'l2', 'l3']) answers.push(await status(server.request('POST', path + CONFIG_MAPS, { body: large(name) })))
      expect(answers).to.deep.equal([201, 201, 413])
      expect(await status(server.request('GET', `${path}${CONFIG_MAPS}/l1`))).to.equal(200)
    })
    it('fails with an error if the server changes more than is kept for it', async () => {
      const large = (name: string, by: string): Manifest => ({ ...configMap(name), data: { value: by.repeat(900_000) } })
      for (const name of ['m1', 'm2', 'm3', 'm4', 'm5']) await server.apply(large(name, 'x'))
      const path = await branch()
      for (const name of ['m1', 'm2', 'm3', 'm4', 'm5']) await server.request('PUT', `${CONFIG_MAPS}/${name}`, { body: large(name, 'y') })
      expect(await body(server.request('GET', path + CONFIG_MAPS), 410)).to.include({ reason: 'Expired' })
      await body(server.request('DELETE', `${BRANCHES}/${path.split('/').at(-1)}`))
      for (const name of ['m1', 'm2', 'm3', 'm4', 'm5']) await server.request('DELETE', `${CONFIG_MAPS}/${name}`)
    })
  })

  describe('a user with rights only in a branch', () => {
    let path: string
    let mallory: User
    before(async () => {
      path = await branch()
      mallory = await server.user('mallory')
    })
    const asMallory = (method: string, at: string, options: Parameters<User['request']>[2] = {}): Promise<number> =>
      status(mallory.request(method, at, options))

    it('needs permission of the server for the branch, whatever the roles in it', async () => {
      for (const manifest of clusterRole(
        'all',
        [
          { apiGroups: ['*'], resources: ['*'], verbs: ['*'] },
          { nonResourceURLs: ['*'], verbs: ['*'] },
        ],
        'mallory',
      )) {
        const { metadata, kind } = manifest as AnyObject
        await body(
          server.request('POST', `${path}/apis/rbac.authorization.k8s.io/v1/${kind.toLowerCase()}s`, { body: { ...manifest, metadata } }),
          201,
        )
      }
      expect(await asMallory('GET', path + CONFIG_MAPS)).to.equal(403)
      await server.apply(...clusterRole('may-use', [{ nonResourceURLs: [path], verbs: ['get'] }], 'mallory'))
      await server.until(async () => (await asMallory('GET', path + CONFIG_MAPS)) === 200)
    })
    it('may be administrator in it, and has no rights elsewhere', async () => {
      expect(await asMallory('POST', path + CONFIG_MAPS, { body: configMap('of-mallory') })).to.equal(201)
      expect(
        await asMallory('GET', path + CONFIG_MAPS, { headers: { 'impersonate-user': 'root', 'impersonate-group': 'system:masters' } }),
      ).to.equal(200)
      for (const [method, at] of [
        ['GET', CONFIG_MAPS],
        ['GET', '/metrics'],
        ['GET', BRANCHES],
        ['POST', BRANCHES],
        ['DELETE', BRANCHES + path.slice(path.lastIndexOf('/'))],
        ['GET', `${BRANCHES}${path.slice(path.lastIndexOf('/'))}/changes`],
        ['GET', `/binnacle/at/${await newest()}${CONFIG_MAPS}`],
        ['GET', `${await branch()}${CONFIG_MAPS}`],
        ['GET', `${path.replace('/branches/', '/branches/../')}${CONFIG_MAPS}`],
      ] as const)
        expect(await asMallory(method, at, method === 'POST' ? { body: { name: 'x' } } : {}), `${method} ${at}`).to.equal(403)
    })
    it('cannot read metrics, queues and endpoints of the server below it', async () => {
      const tricks = [
        '/metrics',
        '/debug/api_priority_and_fairness/dump_requests',
        BRANCHES,
        `/binnacle/at/5${CONFIG_MAPS}`,
        `/binnacle/branches/b1${CONFIG_MAPS}`,
      ]
      const escapes = ['/../../..', '/%2e%2e/%2e%2e', '/..%2f..%2f', '//', '/.'].map(each => `${each}${CONFIG_MAPS}`)
      for (const at of [...tricks, '/console/', '/openid/v1/jwks']) expect(await asMallory('GET', path + at), at).to.equal(404)
      const { clientCertificate: cert, clientKey: key } = mallory
      for (const at of escapes) expect(await asSent(path + at, { cert, key }), at).to.equal(404)
    })
    it('gets tokens that are valid only in it', async () => {
      const asked = { body: { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} } }
      const { status: granted } = await body(
        mallory.request('POST', `${path}/api/v1/namespaces/kube-system/serviceaccounts/default/token`, asked),
        201,
      )
      const withToken = (at: string): Promise<number> => asSent(at, { headers: { authorization: `Bearer ${granted.token}` } })
      expect(await withToken(`${path}/api`)).to.equal(200)
      expect(await withToken('/api')).to.equal(401)
      expect(await withToken(`/binnacle/at/${await newest()}/api`)).to.equal(401)
      expect(await withToken(`${await branch()}/api`)).to.equal(401)
    })
    it('cannot call webhooks or aggregated servers from it', async () => {
      const webhook = {
        apiVersion: 'admissionregistration.k8s.io/v1',
        kind: 'ValidatingWebhookConfiguration',
        metadata: { name: 'call' },
        webhooks: [
          {
            name: 'call.example.dev',
            clientConfig: { url: 'https://127.0.0.1:1/' },
            rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps'] }],
            sideEffects: 'None',
            admissionReviewVersions: ['v1'],
          },
        ],
      }
      expect(
        await asMallory('POST', `${path}/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations`, { body: webhook }),
      ).to.equal(201)
      let refused: AnyObject | undefined
      await server.until(async () => {
        refused = (await mallory.request('POST', path + CONFIG_MAPS, { body: configMap(`w${Math.random()}`.replace('.', '')) }))
          .body as AnyObject
        return refused?.kind === 'Status'
      })
      expect(refused?.message).to.include('moments and branches connect to nothing')
      expect(await asMallory('GET', `${path}/api/v1/nodes/x/proxy/`)).to.equal(405)
    })
    it('cannot create one without the right to read everything', async () => {
      const paths = [{ nonResourceURLs: ['/binnacle/v1/*'], verbs: ['*'] }]
      await server.apply(...clusterRole('makes-branches', paths, 'mallory'))
      await server.until(async () => (await asMallory('GET', BRANCHES)) === 200)
      expect(await asMallory('POST', BRANCHES, { body: { name: 'mine' } })).to.equal(403)
      expect(await asMallory('GET', `${BRANCHES}/b1/changes`)).to.equal(403)
    })
  })

  describe('commands', () => {
    const file = join(dir, 'admin.kubeconfig')
    before(() => writeFileSync(file, server.kubeconfig))
    const run = async (command: typeof runAt, ...argv: string[]): Promise<{ status: number; text: string }> => {
      let text = ''
      const out = (written: string): void => {
        text += written
      }
      const status = await command([...argv, '--kubeconfig', file], { out, err: () => {} })
      return { status, text }
    }
    const serverIn = (text: string): string => /server: (\S+)/.exec(text)?.[1] ?? ''

    it('print kubeconfigs for moments', async () => {
      const now = await newest()
      const { text } = await run(runAt, String(now))
      expect(serverIn(text)).to.equal(`${server.url}/binnacle/at/${now}`)
      writeFileSync(join(dir, 'past'), text)
      const { stdout } = await promisify(execFile)('kubectl', ['--kubeconfig', join(dir, 'past'), 'get', 'namespaces', '-o', 'name'])
      expect(stdout).to.include('namespace/default')
      expect(await failed(run(runAt, '1'))).to.match(/^revision 1 is compacted/)
      expect(await failed(run(runAt))).to.equal('a moment is required: binnacle at 10m')
    })
    it('create, list, compare and delete branches', async () => {
      const { text } = await run(runBranch, 'trial')
      expect(serverIn(text)).to.equal(`${server.url}/binnacle/branches/trial`)
      const path = '/binnacle/branches/trial'
      expect((await run(runBranch, '--print', 'trial')).text).to.equal(text)
      expect(await failed(run(runBranch, '--print', 'other'))).to.equal('branches "other" not found')
      await server.request('POST', path + CONFIG_MAPS, { body: configMap('trial') })
      await server.request('PUT', `${path}${CONFIG_MAPS}/one`, { body: configMap('one', 'trial') })
      await server.request('PUT', `${CONFIG_MAPS}/one`, { body: configMap('one', 'server') })
      const merged = await run(runMerge, 'trial', '--dry-run')
      expect(merged.status).to.equal(1)
      expect(merged.text).to.include('+ configmaps/trial in default\n')
      expect(merged.text).to.include(
        '~ configmaps/one in default\n    data.value: "x" -> "trial"\n  ! changed on the server since:\n      data.value: "x" -> "server"\n',
      )
      expect((await run(runBranch, '--list')).text).to.match(/^trial +\d+ +\S+Z +kubernetes-admin +\d+ +Open$/m)
      expect(await failed(run(runMerge, 'trial'))).to.match(/only --dry-run/)
      expect((await run(runBranch, '--delete', 'trial')).text).to.equal('branch trial deleted\n')
      expect(await failed(run(runMerge, 'trial', '--dry-run'))).to.equal('branches "trial" not found')
    })
  })

  it('serve moments with --history alone', async () => {
    const clock = new Date('2030-05-01T12:00:00Z')
    const past = await startControlPlane({ flags: { history: '24h' }, clock })
    const none = await startControlPlane({ flags: { history: '24h', moments: 0 }, clock })
    try {
      const file = join(dir, 'with-history')
      const run = (command: typeof runAt, ...argv: string[]): Promise<string> => {
        const text: string[] = []
        return command([...argv, '--kubeconfig', file], { out: written => void text.push(written), err: () => {} }).then(() =>
          text.join(''),
        )
      }
      writeFileSync(file, past.kubeconfig)
      const { body: created } = await past.request('POST', CONFIG_MAPS, { body: configMap('kept') })
      await past.advance('20m')
      await past.request('DELETE', `${CONFIG_MAPS}/kept`)
      const at = /server: \S+(\/binnacle\/at\/\d+)/.exec(await run(runAt, '10m'))?.[1] ?? ''
      expect(await names(`${at}${CONFIG_MAPS}`, past)).to.eql(['kept'])
      expect(await run(runAt, '10m', 'ago')).to.equal(await run(runAt, '10m ago'))
      expect(await failed(run(runAt, '1h'))).to.match(/^2030-05-01T11:20:00.000Z is no longer kept: history begins at /)
      expect(await failed(run(runAt, 'x'))).to.match(/^"x" is not a moment/)
      expect(await failed(run(runBranch, 'trial'))).to.equal(`${past.url} has no branches: start it with --branches 4`)
      expect(await failed(run(runMerge, 'trial', '--dry-run'))).to.equal(`${past.url} has no branches: start it with --branches 4`)
      writeFileSync(file, none.kubeconfig)
      expect(await failed(run(runAt, String((created as AnyObject).metadata.resourceVersion)))).to.equal(
        `${none.url} serves no moments: start it with --history 24h, or with --moments 4 for revisions of the last minutes`,
      )
      writeFileSync(file, server.kubeconfig)
      expect(await failed(run(runAt, '10m'))).to.equal(`${server.url} keeps no history: start it with --history 24h`)
      expect(await failed(run(runBranch, 'old', '--at', '10m'))).to.equal(`${server.url} keeps no history: start it with --history 24h`)
    } finally {
      await Promise.all([past.stop(), none.stop()])
    }
  })

  it('rejects invalid names', async () => {
    for (const name of ['', 'A', 'a/b', '..', '-a', 'a'.repeat(64), 'ä', 5, undefined])
      expect(await status(server.request('POST', BRANCHES, { body: { name } })), String(name)).to.equal(400)
    for (const more of [{ at: 0 }, { at: '5' }, { at: 1.5 }, { other: 1 }])
      expect(await status(server.request('POST', BRANCHES, { body: { name: 'n', ...more } }))).to.equal(400)
    for (const at of [
      '/binnacle/at/0/api',
      '/binnacle/at/05/api',
      '/binnacle/at/99999999999999999999/api',
      '/binnacle/at/5e3/api',
      '/binnacle/branches/',
      '/binnacle/branches/%62%31/api',
    ])
      expect(await status(server.request('GET', at)), at).to.equal(404)
  })
})
