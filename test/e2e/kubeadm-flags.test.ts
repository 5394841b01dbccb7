import { execFile } from 'node:child_process'
import { generateKeyPairSync } from 'node:crypto'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import { request } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { json } from 'node:stream/consumers'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { issueCa, issueClient, issueServing } from '../../src/server/tls/issue.ts'
import { type EtcdServer, findEtcd, startEtcd } from '../support/etcd.ts'
import { createServerProcess, type ServerProcess } from '../support/server-process.ts'

const run = promisify(execFile)

/** The files of /etc/kubernetes/pki, as kubeadm makes them. */
async function makePki(directory: string) {
  mkdirSync(directory)
  const [ca, frontProxyCa, etcdCa] = await Promise.all([issueCa('kubernetes'), issueCa('front-proxy-ca'), issueCa('etcd-ca')])
  const names = { dns: ['kubernetes', 'kubernetes.default', 'localhost'], ips: ['10.96.0.1', '127.0.0.1'] }
  const pairs = {
    ca,
    'front-proxy-ca': frontProxyCa,
    'etcd-ca': etcdCa,
    'etcd-server': await issueServing(etcdCa, 'etcd', { dns: ['localhost'], ips: ['127.0.0.1'] }),
    'apiserver-etcd-client': await issueClient(etcdCa, 'kube-apiserver-etcd-client', []),
    apiserver: await issueServing(ca, 'kube-apiserver', names),
    'apiserver-kubelet-client': await issueClient(ca, 'kube-apiserver-kubelet-client', ['kubeadm:cluster-admins']),
    'front-proxy-client': await issueClient(frontProxyCa, 'front-proxy-client', []),
    admin: await issueClient(ca, 'kubernetes-admin', ['kubeadm:cluster-admins']),
    'super-admin': await issueClient(ca, 'kubernetes-super-admin', ['system:masters']),
  }
  for (const [name, { cert, key }] of Object.entries(pairs)) {
    writeFileSync(join(directory, `${name}.crt`), cert)
    writeFileSync(join(directory, `${name}.key`), key)
  }
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  writeFileSync(join(directory, 'sa.key'), privateKey.export({ type: 'pkcs1', format: 'pem' }))
  writeFileSync(join(directory, 'sa.pub'), publicKey.export({ type: 'spki', format: 'pem' }))
}

/** Flags of kubeadm 1.33 in its static pod manifest. */
const flagsOf = (pki: string, etcd: string): string[] => [
  '--advertise-address=127.0.0.1',
  '--allow-privileged=true',
  '--authorization-mode=Node,RBAC',
  `--client-ca-file=${pki}/ca.crt`,
  '--enable-admission-plugins=NodeRestriction',
  '--enable-bootstrap-token-auth=true',
  `--etcd-cafile=${pki}/etcd-ca.crt`,
  `--etcd-certfile=${pki}/apiserver-etcd-client.crt`,
  `--etcd-keyfile=${pki}/apiserver-etcd-client.key`,
  `--etcd-servers=${etcd}`,
  `--kubelet-client-certificate=${pki}/apiserver-kubelet-client.crt`,
  `--kubelet-client-key=${pki}/apiserver-kubelet-client.key`,
  '--kubelet-preferred-address-types=InternalIP,ExternalIP,Hostname',
  `--proxy-client-cert-file=${pki}/front-proxy-client.crt`,
  `--proxy-client-key-file=${pki}/front-proxy-client.key`,
  '--requestheader-allowed-names=front-proxy-client',
  `--requestheader-client-ca-file=${pki}/front-proxy-ca.crt`,
  '--requestheader-extra-headers-prefix=X-Remote-Extra-',
  '--requestheader-group-headers=X-Remote-Group',
  '--requestheader-username-headers=X-Remote-User',
  '--service-account-issuer=https://kubernetes.default.svc.cluster.local',
  `--service-account-key-file=${pki}/sa.pub`,
  `--service-account-signing-key-file=${pki}/sa.key`,
  '--service-cluster-ip-range=10.96.0.0/12',
  `--tls-cert-file=${pki}/apiserver.crt`,
  `--tls-private-key-file=${pki}/apiserver.key`,
]

describe('a server with the flags of kubeadm', () => {
  const directory = mkdtempSync(join(tmpdir(), 'kubeadm-'))
  const pki = join(directory, 'pki')
  let etcd: EtcdServer | undefined
  let server: ServerProcess | undefined
  before(async function () {
    const hasKubectl = await run('kubectl', ['version', '--client']).then(
      () => true,
      () => false,
    )
    if (!hasKubectl || findEtcd() === undefined) return this.skip()
    await makePki(pki)
    const files = [
      '--cert-file',
      `${pki}/etcd-server.crt`,
      '--key-file',
      `${pki}/etcd-server.key`,
      '--trusted-ca-file',
      `${pki}/etcd-ca.crt`,
    ]
    etcd = await startEtcd([...files, '--client-cert-auth'])
    server = await createServerProcess(['--profile=apiserver', ...flagsOf(pki, etcd.url)])
    await server.start()
  })
  after(async () => {
    await server?.stop()
    await etcd?.stop()
    rmSync(directory, { recursive: true })
  })

  const kubectl = async (as: readonly string[], ...args: string[]): Promise<string> => {
    const common = [`--server=${server?.secureUrl}`, `--certificate-authority=${pki}/ca.crt`, `--cache-dir=${directory}/cache`]
    const { stdout } = await run('kubectl', [...common, ...as, ...args], { env: { ...process.env, KUBECONFIG: '/dev/null' } })
    return stdout.trim()
  }
  const certificate = (name: string): string[] => [`--client-certificate=${pki}/${name}.crt`, `--client-key=${pki}/${name}.key`]

  it('authorizes the administrator once the role is bound, as kubeadm binds it', async () => {
    expect(await kubectl(certificate('admin'), 'auth', 'can-i', 'list', 'nodes').catch(() => 'no')).to.equal('no')
    const bind = ['create', 'clusterrolebinding', 'kubeadm:cluster-admins', '--clusterrole=cluster-admin', '--group=kubeadm:cluster-admins']
    await kubectl(certificate('super-admin'), ...bind)
    expect(await kubectl(certificate('admin'), 'auth', 'can-i', 'list', 'nodes')).to.equal('yes')
    const namespaces = await kubectl(certificate('admin'), 'get', 'namespaces', '-o', 'name')
    expect(namespaces.split('\n')).to.include('namespace/kube-system')
    expect(await kubectl(certificate('admin'), 'get', 'service', 'kubernetes', '-o', 'jsonpath={.spec.clusterIP}')).to.equal('10.96.0.1')
  })

  it('accepts bootstrap tokens of nodes and tokens of service accounts', async () => {
    const secret = ['create', 'secret', 'generic', 'bootstrap-token-abcdef', '-n', 'kube-system', '--type=bootstrap.kubernetes.io/token']
    const values = ['token-id=abcdef', 'token-secret=0123456789abcdef', 'usage-bootstrap-authentication=true']
    await kubectl(certificate('super-admin'), ...secret, ...values.map(value => `--from-literal=${value}`))
    const whoami = (token: string) => kubectl([`--token=${token}`], 'auth', 'whoami', '-o', 'jsonpath={.status.userInfo.username}')
    expect(await whoami('abcdef.0123456789abcdef')).to.equal('system:bootstrap:abcdef')
    await kubectl(certificate('super-admin'), 'create', 'serviceaccount', 'robot')
    expect(await whoami(await kubectl(certificate('super-admin'), 'create', 'token', 'robot'))).to.equal(
      'system:serviceaccount:default:robot',
    )
  })

  it('accepts usernames from a front proxy', async () => {
    const [ca, cert, key] = ['ca.crt', 'front-proxy-client.crt', 'front-proxy-client.key'].map(file => readFileSync(join(pki, file)))
    const headers = { 'content-type': 'application/json', 'x-remote-user': 'jane' }
    const sent = request(`${server?.secureUrl}/apis/authentication.k8s.io/v1/selfsubjectreviews`, {
      method: 'POST',
      headers,
      ca,
      cert,
      key,
    })
    sent.end('{"kind":"SelfSubjectReview","apiVersion":"authentication.k8s.io/v1"}')
    const [response]: IncomingMessage[] = await once(sent, 'response')
    expect(await json(response!)).to.have.nested.property('status.userInfo.username', 'jane')
  })
})
