import { execFile } from 'node:child_process'
import type { ServerResponse } from 'node:http'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { Http2Stream } from '../../src/protocols/http2/stream.ts'
import { createSecurePort, open } from '../../src/server/listeners.ts'
import { issueCa, issueServing } from '../../src/server/tls/issue.ts'
import { h2spec } from '../support/clients.ts'

const suite = h2spec()
const missing = 'missing' in suite
const BODY = Buffer.from('hello')

describe(`HTTP/2, by h2spec${missing ? ` (skipped: ${suite.missing})` : ''}`, function () {
  this.timeout(60_000)

  it('is spoken to the letter of the rules', async function () {
    if (missing) this.skip()
    const ca = await issueCa('ca')
    const { cert, key } = await issueServing(ca, 'server', { dns: ['localhost'], ips: ['127.0.0.1'] })
    // Some cases break a rule in the body: the answer has to wait for that.
    const server = createSecurePort({ cert, key, clientCa: ca.cert }, (req, res) => {
      req.resume().once('end', () => (res instanceof Http2Stream ? res.whole(200, [], BODY) : (res as ServerResponse).end(BODY)))
    })
    const port = await open(server, 0, '127.0.0.1')
    try {
      const [command = ''] = suite.ready()
      const args = ['--host', '127.0.0.1', '--port', String(port.port), '--tls', '--insecure', '--strict']
      const { stdout } = await promisify(execFile)(command, args).catch((error: { stdout: string }) => error)
      const [, tests, passed, skipped, failed] = /(\d+) tests, (\d+) passed, (\d+) skipped, (\d+) failed/.exec(stdout) ?? []
      expect({ skipped, failed }, stdout.slice(stdout.indexOf('Failures:'))).to.eql({ skipped: '0', failed: '0' })
      expect(Number(passed)).to.equal(Number(tests)).and.to.be.above(140)
    } finally {
      port.destroy()
      await port.close()
    }
  })
})
