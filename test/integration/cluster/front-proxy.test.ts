import { X509Certificate } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { TLSSocket } from 'node:tls'
import { expect } from 'chai'
import { AggregatedServer, apiServiceOf } from '../../support/aggregated-server.ts'
import { type InProcessServer, openInProcess } from '../../support/in-process-server.ts'
import { eventually } from '../../support/waiting.ts'

const SERVICES = '/apis/apiregistration.k8s.io/v1/apiservices'
const AUTHENTICATION = '/api/v1/namespaces/kube-system/configmaps/extension-apiserver-authentication'

describe('aggregated servers of a cluster', () => {
  let backend: AggregatedServer
  let server: InProcessServer
  before(async () => {
    backend = await AggregatedServer.start('api')
    server = await openInProcess(['--profile=cluster', '--nodes=0', `--service-addresses=default/api=127.0.0.1:${backend.port}`])
    await eventually('the server is ready', async () => (await server.send('/readyz')).status === 200)
  })
  after(async () => {
    await server?.stop()
    server?.remove()
    await backend?.close()
  })

  it('can verify, by the published CA, the certificate that requests come with', async () => {
    const shown: X509Certificate[] = []
    backend.act = (req: IncomingMessage, res) => {
      const certificate = (req.socket as TLSSocket).getPeerX509Certificate()
      if (certificate && req.url === '/apis/wardle.example.com/v1alpha1') shown.push(certificate)
      res.writeHead(200, { 'content-type': 'application/json' }).end('{}')
    }
    const created = await server.send(SERVICES, {
      method: 'POST',
      body: apiServiceOf(backend, 'api', 'wardle.example.com', 'v1alpha1'),
    })
    expect(created.status, created.text).to.equal(201)
    await eventually('the server checks the APIService', () => shown.length > 0)
    await server.send('/apis/wardle.example.com/v1alpha1/flunders')
    const data = JSON.parse((await server.send(AUTHENTICATION)).text).data
    const authority = new X509Certificate(data['requestheader-client-ca-file'])
    for (const certificate of shown) expect(certificate.verify(authority.publicKey)).to.equal(true)
    expect(shown[0]?.subject).to.equal('CN=front-proxy-client')
    expect(data).to.deep.include({
      'requestheader-allowed-names': '["front-proxy-client"]',
      'requestheader-username-headers': '["X-Remote-User"]',
      'requestheader-group-headers': '["X-Remote-Group"]',
      'requestheader-extra-headers-prefix': '["X-Remote-Extra-"]',
    })
  })
})
