import { spawnSync } from 'node:child_process'
import { expect } from 'chai'
import { h2spec } from '../support/clients.ts'
import { type StartedServer, startBinnacle } from '../support/started-server.ts'

const suite = h2spec()
const missing = 'missing' in suite

;(missing ? describe.skip : describe)(`HTTP/2, by h2spec${missing ? ` (skipped: ${suite.missing})` : ''}`, function () {
  this.timeout(60_000)
  let server: StartedServer
  before(async () => {
    server = await startBinnacle()
  })
  after(() => server.stop())

  it('keeps to the rules, to the letter', () => {
    const { hostname, port } = new URL(server.url)
    const [command = ''] = 'ready' in suite ? suite.ready() : []
    const { stdout } = spawnSync(command, ['--host', hostname, '--port', port, '--tls', '--insecure', '--strict', '--path', '/healthz', '--timeout', '5'], {
      encoding: 'utf8',
    })
    const [, tests, passed, skipped, failed] = /(\d+) tests, (\d+) passed, (\d+) skipped, (\d+) failed/.exec(stdout) ?? []
    expect({ skipped, failed }, stdout.slice(stdout.indexOf('Failures:'))).to.eql({ skipped: '0', failed: '0' })
    expect(Number(passed)).to.equal(Number(tests)).and.to.be.above(140)
  })
})
