import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { accessOf, type HttpClient, Informer, isApiError, openClient } from '../../../../src/cluster/package/client.ts'
import { startControlPlane } from '../../../../src/testing/start-control-plane.ts'
import type { ControlPlane } from '../../../../src/testing/types.ts'
import { apiClientSuite, CONFIG_MAPS } from '../../../conformance/api-client.ts'
import { storeDigest } from '../../../support/seeded-history.ts'

describe('binnacle/client', () => {
  let plane: ControlPlane
  let directory = ''
  const clients: HttpClient[] = []
  before(async () => {
    plane = await startControlPlane()
    directory = mkdtempSync(join(tmpdir(), 'binnacle-'))
    writeFileSync(join(directory, 'config'), plane.kubeconfig)
  })
  after(async () => {
    for (const client of clients) client.close()
    await plane.stop()
    rmSync(directory, { recursive: true, force: true })
  })
  beforeEach(() => plane.reset())

  const written = (user: string, cluster = ''): string => {
    const file = join(directory, 'other')
    writeFileSync(
      file,
      `clusters: [{name: c, cluster: {server: 'https://a.example:6443'${cluster}}}]\nusers: [{name: u, user: {${user}}}]\ncontexts: [{name: x, context: {cluster: c, user: u}}]\n`,
    )
    return file
  }

  describe('in the process of a control plane', () => apiClientSuite(() => plane.client()))

  describe('over HTTP, with a kubeconfig', () =>
    apiClientSuite(() => {
      const client = openClient(accessOf(join(directory, 'config')))
      clients.push(client)
      return client
    }))

  it('reads the token and the TLS settings of a context', () => {
    expect(accessOf(written('token: abc', ', tls-server-name: b.example, insecure-skip-tls-verify: true'), 'x')).to.deep.equal({
      url: 'https://a.example:6443/',
      token: 'abc',
      tlsServerName: 'b.example',
      insecureSkipTlsVerify: true,
    })
  })

  it('refuses passwords, plugins and contexts that do not exist', () => {
    expect(() => accessOf(written('username: a, password: b'), 'x')).to.throw(
      'other: passwords are not supported: use a token or a client certificate',
    )
    expect(() => accessOf(written('exec: {command: a}'), 'x')).to.throw('credential plugins are not supported')
    expect(() => accessOf(written('token: abc'), 'y')).to.throw('other: context "y" does not exist')
  })

  it('accepts the certificate of a server under another name, or any certificate, only if told so', async () => {
    const { certificateAuthority, ...access } = accessOf(join(directory, 'config'))
    const listed = async (more: object): Promise<string> => {
      const client = openClient({ ...access, ...more })
      clients.push(client)
      return client.list(CONFIG_MAPS).then(
        () => 'listed',
        (error: Error) => error.message,
      )
    }
    expect(await listed({})).to.match(/certificate/)
    expect(await listed({ insecureSkipTlsVerify: true })).to.equal('listed')
    expect(await listed({ certificateAuthority, tlsServerName: 'kubernetes.default.svc' })).to.equal('listed')
    expect(await listed({ certificateAuthority, tlsServerName: 'other.example' })).to.match(/other\.example/)
  })

  it('recognizes rejections of a server by their reasons', async () => {
    const error: unknown = await plane
      .client()
      .get(CONFIG_MAPS, 'default', 'none')
      .catch((failure: unknown) => failure)
    expect([isApiError(error), isApiError(error, 'Conflict', 'NotFound'), isApiError(error, 'Conflict')]).to.deep.equal([true, true, false])
    expect(isApiError(new Error('NotFound'))).to.equal(false)
  })

  it('gives writes in the process the user agent as the manager, and the faults of the user', async () => {
    const client = plane.client({ name: 'jane', groups: ['developers'], userAgent: 'shop/1.0' })
    const map = { kind: 'ConfigMap', apiVersion: 'v1', metadata: { name: 'map', namespace: 'default' }, data: { a: 'b' } }
    expect((await client.create(CONFIG_MAPS, map)).metadata.managedFields?.map(({ manager }) => manager)).to.deep.equal(['shop'])
    plane.faults.add({ match: { users: ['jane'] }, status: { code: 503 } })
    expect(await client.list(CONFIG_MAPS).catch(({ code }) => code)).to.equal(503)
    expect((await plane.client().list(CONFIG_MAPS, { namespace: 'default' })).items).to.have.length.greaterThan(0)
  })

  it('does not authorize requests in the process, not even those of an apply that creates', async () => {
    const name = { namespace: 'default', name: 'applied' }
    expect(
      await plane.client({ name: 'jane', groups: [] }).apply(CONFIG_MAPS, name, { data: { a: 'b' } }, { fieldManager: 'jane' }),
    ).to.have.nested.property('data.a', 'b')
  })

  it('lets an informer in the process follow a control plane until it stops', async () => {
    const copy = await plane.fork()
    const informer = new Informer(copy.client(), CONFIG_MAPS, { namespace: 'default' })
    const names: string[] = []
    const end = new AbortController()
    const running = informer.run(end.signal)
    await informer.synced()
    informer.on({ added: ({ metadata }) => void names.push(metadata.name ?? '') })
    await copy.apply({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'followed', namespace: 'default' } })
    await copy.until(() => names.includes('followed'))
    expect(informer.store.get('default/followed')?.metadata.uid).to.be.a('string')
    await copy.stop()
    end.abort()
    await running
  })

  it('leaves equal stores with equal seeds', async () => {
    const digests: string[] = []
    for (let i = 0; i < 2; i++) {
      const seeded = await startControlPlane({ seed: 'client' })
      const client = seeded.client()
      const namespaces = { group: '', version: 'v1', resource: 'namespaces', kind: 'Namespace', namespaced: false }
      // Controllers create objects in each namespace: the second write waits for those of the first.
      await Promise.all(['a', 'b'].map(name => client.create(namespaces, { kind: 'Namespace', apiVersion: 'v1', metadata: { name } })))
      await seeded.settled()
      digests.push(storeDigest(seeded))
      await seeded.stop()
    }
    expect(digests[0]).to.equal(digests[1])
  })
})
