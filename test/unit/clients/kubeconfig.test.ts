import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { readKubeconfig } from '../../../src/clients/kubeconfig.ts'
import { KubeconfigError } from '../../../src/clients/kubeconfig-error.ts'

const CA = '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n'
const CA_DATA = Buffer.from(CA).toString('base64')

/** A kubeconfig with one context. */
const config = (cluster: string, user: string): string =>
  `apiVersion: v1\nkind: Config\ncurrent-context: a\ncontexts: [{name: a, context: {cluster: c, user: u}}]\nclusters: [{name: c, cluster: ${cluster}}]\nusers: [{name: u, user: ${user}}]\n`

const SERVER = 'server: "https://authz.example:8443/a/b/?x=y"'

describe('readKubeconfig', () => {
  let folder: string
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'binnacle-kubeconfig-'))
    writeFileSync(join(folder, 'ca.pem'), CA)
    writeFileSync(join(folder, 'token'), 'secret\n')
    writeFileSync(join(folder, 'cert.pem'), 'cert')
    writeFileSync(join(folder, 'key.pem'), 'key')
  })
  after(() => rmSync(folder, { recursive: true }))

  const read = (text: string) => {
    const file = join(folder, 'config')
    writeFileSync(file, text)
    return readKubeconfig(file)
  }
  const fault = async (text: string): Promise<string> => {
    try {
      await read(text)
    } catch (error) {
      if (error instanceof KubeconfigError) return error.message.replaceAll(folder, '')
      throw error
    }
    throw new Error('it was read')
  }

  it('returns the address, and reads referenced files relative to its folder', async () => {
    const remote = await read(
      config(
        `{${SERVER}, certificate-authority: ca.pem, tls-server-name: other}`,
        '{client-certificate: cert.pem, client-key: key.pem, tokenFile: token}',
      ),
    )
    expect(remote).to.deep.equal({
      scheme: 'https',
      authority: 'authz.example:8443',
      host: 'authz.example',
      port: 8443,
      path: '/a/b',
      ca: Buffer.from(CA),
      insecure: false,
      serverName: 'other',
      client: {
        cert: { pem: Buffer.from('cert'), file: join(folder, 'cert.pem') },
        key: { pem: Buffer.from('key'), file: join(folder, 'key.pem') },
      },
      token: { value: 'secret', file: join(folder, 'token') },
      headers: {},
    })
  })

  it('accepts embedded data, basic credentials and impersonation', async () => {
    const user = '{username: a, password: b, as: jane, as-uid: "7", as-groups: [g, h], as-user-extra: {a/b: [c]}}'
    const remote = await read(
      config(`{server: "https://[::1]", certificate-authority-data: ${CA_DATA}, insecure-skip-tls-verify: false}`, user),
    )
    expect([remote.host, remote.port, remote.path, remote.ca?.toString()]).to.deep.equal(['::1', 443, '/', CA])
    expect(remote.headers).to.deep.equal({
      authorization: 'Basic YTpi',
      'Impersonate-User': 'jane',
      'Impersonate-Uid': '7',
      'Impersonate-Group': ['g', 'h'],
      'Impersonate-Extra-a%2Fb': ['c'],
    })
  })

  it('sends no credentials over plain HTTP', async () => {
    const remote = await read(config('{server: "http://127.0.0.1:1"}', '{token: t}'))
    expect([remote.scheme, remote.token, remote.headers]).to.deep.equal(['http', undefined, {}])
  })

  const REFUSED: readonly [title: string, text: string, message: string][] = [
    ['an empty file', '', 'invalid configuration: no configuration has been provided, try setting KUBERNETES_MASTER environment variable'],
    [
      'another kind',
      'apiVersion: v1\nkind: Pod',
      'error loading config file "/config": no kind "Pod" is registered for version "v1" in scheme "pkg/runtime/scheme.go:110"',
    ],
    [
      'a member of another type',
      config('{server: 1}', '{}'),
      'error loading config file "/config": json: cannot unmarshal number into Go struct field Cluster.clusters.cluster.server of type string',
    ],
    [
      'a missing context',
      'current-context: b\nclusters: []',
      'invalid configuration: [context was not found for specified context: b, cluster has no server defined]',
    ],
    ['a cluster without a server', config('{tls-server-name: x}', '{}'), 'invalid configuration: no server found for cluster "c"'],
    [
      'a missing authority',
      config(`{${SERVER}, certificate-authority: none.pem}`, '{}'),
      'invalid configuration: unable to read certificate-authority /none.pem for c due to open /none.pem: no such file or directory',
    ],
    [
      'a certificate without a key',
      config(`{${SERVER}}`, '{client-certificate: cert.pem}'),
      'invalid configuration: client-key-data or client-key must be specified for u to use the clientCert authentication method.',
    ],
    [
      'two ways to authenticate',
      config(`{${SERVER}}`, '{token: t, username: name}'),
      'invalid configuration: more than one authentication method found for u; found [token basicAuth], only one is allowed',
    ],
    [
      'an incomplete plugin',
      config(`{${SERVER}}`, '{exec: {command: x}}'),
      'invalid configuration: [apiVersion must be specified for u to use exec authentication plugin, interactiveMode must be specified for u to use exec authentication plugin]',
    ],
    [
      'a plugin',
      config(`{${SERVER}}`, '{exec: {command: x, apiVersion: v1, interactiveMode: Never}}'),
      'the user "u" has exec: credential plugins are not implemented; use a token or a client certificate',
    ],
    ['a provider', config(`{${SERVER}}`, '{auth-provider: {name: gcp}}'), 'no Auth Provider found for name "gcp"'],
    ['a proxy', config(`{${SERVER}, proxy-url: "http://p"}`, '{}'), 'the cluster "c" has proxy-url: proxies are not implemented'],
    [
      'a proxy with an unknown scheme',
      config(`{${SERVER}, proxy-url: "ftp://p"}`, '{}'),
      `invalid configuration: invalid 'proxy-url' "ftp://p" for cluster "c": unsupported scheme "ftp", must be http, https, or socks5`,
    ],
    [
      'a server with an unknown scheme, without its password',
      config('{server: "ftp://jane:pass@s:21/a"}', '{}'),
      'unsupported protocol scheme "ftp" in the server ftp://s:21',
    ],
    [
      'a certificate authority without verification',
      config(`{${SERVER}, certificate-authority: ca.pem, insecure-skip-tls-verify: true}`, '{}'),
      'specifying a root certificates file with the insecure flag is not allowed',
    ],
    [
      'an invalid certificate authority',
      config(`{${SERVER}, certificate-authority: token}`, '{}'),
      'unable to load root certificates: unable to parse bytes as PEM block',
    ],
    [
      'a name twice',
      'clusters: [{name: a}, {name: a}]',
      'error loading config file "/config": error converting *[]NamedCluster into *map[string]*api.Cluster: duplicate name "a" in list',
    ],
    [
      'impersonated groups without a user',
      config(`{${SERVER}}`, '{as-groups: [g]}'),
      'invalid configuration: requesting uid, groups or user-extra for u without impersonating a user',
    ],
  ]
  for (const [title, text, message] of REFUSED) it(`refuses ${title}`, async () => expect(await fault(text)).to.equal(message))

  it('rejects a missing file', async () => {
    const missing = join(folder, 'missing')
    const message = await readKubeconfig(missing).catch((error: Error) => error.message)
    expect(message).to.equal(`stat ${missing}: no such file or directory`)
  })
})
