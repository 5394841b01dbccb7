import type { AddressInfo } from 'node:net'
import tls from 'node:tls'
import { expect } from 'chai'
import { createSecurePort } from '../../../src/server/listeners.ts'
import { issueCa, issueServing } from '../../../src/server/tls/issue.ts'

describe('createSecurePort', () => {
  for (const [maxVersion, cipher] of [
    ['TLSv1.3', 'TLS_AES_128_GCM_SHA256'],
    ['TLSv1.2', 'ECDHE-ECDSA-AES128-GCM-SHA256'],
  ] as const)
    it(`encrypts by AES-128 over ${maxVersion}, whatever the client would like best`, async () => {
      const ca = await issueCa('ca')
      const { cert, key } = await issueServing(ca, 'server', { dns: ['localhost'], ips: [] })
      const server = createSecurePort({ cert, key, clientCa: ca.cert }, () => {})
      await new Promise<void>(resolve => server.listen(0, resolve))
      const socket = tls.connect({ port: (server.address() as AddressInfo).port, ca: ca.cert, servername: 'localhost', maxVersion })
      try {
        await new Promise((resolve, reject) => socket.once('secureConnect', resolve).once('error', reject))
        expect(socket.getCipher().name).to.equal(cipher)
      } finally {
        socket.destroy()
        server.close()
      }
    })
})
