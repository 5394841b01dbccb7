import { createPrivateKey, X509Certificate } from 'node:crypto'
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { beginAdminKeys } from '../../../../src/server/tls/client-keys.ts'
import { issueCa, issueServing } from '../../../../src/server/tls/issue.ts'
import { type CertificateOptions, loadCredentials } from '../../../../src/server/tls/material.ts'
import { servingNames } from '../../../../src/server/tls/names.ts'
import { whole } from '../../../support/credentials.ts'

const loaded = (options: CertificateOptions) => whole(loadCredentials(options))

const names = { dns: ['localhost', 'kubernetes.default.svc'], ips: ['127.0.0.1', '::1', '10.0.0.1'] }

describe('loadCredentials', () => {
  let directory = ''
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'binnacle-pki-'))
  })
  afterEach(() => rm(directory, { recursive: true }))

  it('creates missing pairs, readable by their owner only', async () => {
    const { tls, admin } = await loaded({ directory, names })
    expect((await readdir(directory)).sort()).to.deep.equal([
      'admin.crt',
      'admin.key',
      'apiserver.crt',
      'apiserver.key',
      'ca.crt',
      'ca.key',
    ])
    for (const file of await readdir(directory)) expect((await stat(join(directory, file))).mode & 0o777).to.equal(0o600)
    const ca = new X509Certificate(await readFile(join(directory, 'ca.crt')))
    const serving = new X509Certificate(tls.cert)
    const client = new X509Certificate(admin.cert)
    expect(ca.ca).to.equal(true)
    for (const one of [serving, client]) expect(one.checkIssued(ca) && one.verify(ca.publicKey)).to.equal(true)
    for (const name of names.dns) expect(serving.checkHost(name)).to.equal(name)
    for (const ip of names.ips) expect(serving.checkIP(ip)).to.equal(ip)
    expect(client.publicKey.asymmetricKeyType, 'what clients in Java read without further libraries').to.equal('rsa')
    expect(createPrivateKey(admin.key).asymmetricKeyType).to.equal('rsa')
    expect(client.subject).to.equal('O=system:masters\nCN=kubernetes-admin')
  })

  it('reuses pairs on disk', async () => {
    const made = await loaded({ directory, names })
    expect(await loaded({ directory, names })).to.deep.equal(made)
  })

  it('issues a certificate for aggregated servers under a CA that signs for no users', async () => {
    const made = await loaded({ directory, names, frontProxy: 'front-proxy-client' })
    const client = new X509Certificate(made.frontProxy?.cert ?? '')
    expect(client.subject).to.equal('CN=front-proxy-client')
    expect(client.keyUsage, 'TLS client').to.deep.equal(['1.3.6.1.5.5.7.3.2'])
    expect(client.verify(new X509Certificate(made.tls.frontProxyCa ?? '').publicKey)).to.equal(true)
    expect(client.verify(new X509Certificate(made.tls.clientCa).publicKey)).to.equal(false)
    expect(await loaded({ directory, names, frontProxy: 'front-proxy-client' }), 'those on disk').to.deep.equal(made)
    await rm(join(directory, 'front-proxy-ca.key'))
    const renewed = await loaded({ directory, names, frontProxy: 'front-proxy-client' })
    expect(renewed.frontProxy, 'under another CA').not.to.deep.equal(made.frontProxy)
  })

  it('uses administrator keys that were generated before', async () => {
    const adminKeys = beginAdminKeys(directory)
    const { admin } = await loaded({ directory, names, ...(adminKeys && { adminKeys }) })
    const { privateKey } = (await adminKeys) ?? {}
    expect(privateKey?.export({ type: 'pkcs8', format: 'pem' })).to.equal(
      createPrivateKey(admin.key).export({ type: 'pkcs8', format: 'pem' }),
    )
    expect(beginAdminKeys(directory), 'once there are some').to.equal(undefined)
  })

  it('issues the serving certificate again for a new name', async () => {
    const before = await loaded({ directory, names })
    const after = await loaded({ directory, names: { ...names, dns: [...names.dns, 'other'] } })
    expect(after.tls.cert).not.to.equal(before.tls.cert)
    expect(after.admin).to.deep.equal(before.admin)
  })

  it('uses a serving pair of another issuer, and has clients verify the server by it', async () => {
    const foreign = await issueServing(await issueCa('foreign'), 'x', { dns: ['x'], ips: [] })
    await writeFile(join(directory, 'apiserver.crt'), foreign.cert)
    await writeFile(join(directory, 'apiserver.key'), foreign.key)
    const { tls, serverCa } = await loaded({ directory, names })
    expect(tls).to.include(foreign)
    expect(serverCa).to.equal(foreign.cert)
  })

  it('trusts the configured client CA besides its own', async () => {
    const other = await issueCa('clients')
    const clientCaFile = join(directory, 'clients.crt')
    await writeFile(clientCaFile, other.cert)
    const { tls, ownCa } = await loaded({ directory, names, clientCaFile })
    expect(tls.clientCa).to.contain(other.cert).and.to.contain(ownCa.cert)
  })
})

describe('servingNames', () => {
  it('has all names and addresses of the server', () =>
    expect(
      servingNames({ hostname: 'Box.example', bindAddress: '0.0.0.0', advertiseAddress: '192.0.2.1', serviceIp: '10.0.0.1' }),
    ).to.deep.equal({
      dns: [
        'localhost',
        'kubernetes',
        'kubernetes.default',
        'kubernetes.default.svc',
        'kubernetes.default.svc.cluster.local',
        'box.example',
      ],
      ips: ['127.0.0.1', '::1', '10.0.0.1', '192.0.2.1'],
    }))
})
