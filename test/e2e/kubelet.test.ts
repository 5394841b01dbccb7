import type { IncomingMessage } from 'node:http'
import { join } from 'node:path'
import type { Duplex } from 'node:stream'
import { expect } from 'chai'
import { issueCa, issueServing } from '../../src/server/tls/issue.ts'
import { OtherEnd } from '../support/connect-world.ts'
import { findKubectls, runKubectl } from '../support/kubectl.ts'
import { SpdyKubelet } from '../support/spdy-kubelet.ts'
import { type StartedServer, startBinnacle } from '../support/started-server.ts'

/** The releases of kubectl that speak WebSocket by themselves. */
const kubectls = findKubectls().filter(({ minor }) => minor >= 31)

/** Acts as a kubelet: prints the command on standard output, a line on standard error, and its exit status. */
function execute(req: IncomingMessage, socket: Duplex): void {
  socket.write(
    'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\nX-Stream-Protocol-Version: v4.channel.k8s.io\r\n\r\n',
  )
  const kubelet = new SpdyKubelet(socket)
  const failed = req.url?.includes('command=false')
  const status = failed
    ? { metadata: {}, status: 'Failure', reason: 'NonZeroExitCode', details: { causes: [{ reason: 'ExitCode', message: '7' }] } }
    : { metadata: {}, status: 'Success' }
  kubelet.changed = () => {
    const [error, stdout, stderr] = ['error', 'stdout', 'stderr'].map(type => kubelet.streams.get(type))
    if (!error || !stdout || !stderr) return
    kubelet.changed = () => {}
    stdout.send(`${req.url}\n`, true)
    stderr.send('aside\n', true)
    error.send(JSON.stringify(status), true)
    kubelet.goAway()
    socket.end()
  }
}

describe('kubectl and a kubelet', () => {
  let server: StartedServer
  let kubelet: OtherEnd
  before(async function () {
    if (kubectls.length === 0) this.skip()
    const ca = await issueCa('kubelets')
    kubelet = await new OtherEnd(await issueServing(ca, 'kubelet', { dns: [], ips: ['127.0.0.1'] })).listen('127.0.0.1')
    kubelet.act = (req, res) => res.end(`log of ${req.url}\n`)
    kubelet.upgradeAct = execute
    server = await startBinnacle()
    const create = (object: object) => run('create -f -', JSON.stringify(object))
    await create({ apiVersion: 'v1', kind: 'Node', metadata: { name: 'here' } })
    const status = {
      addresses: [{ type: 'InternalIP', address: '127.0.0.1' }],
      daemonEndpoints: { kubeletEndpoint: { Port: kubelet.port } },
    }
    await run(['patch', 'node', 'here', '--subresource=status', '--type=merge', '-p', JSON.stringify({ status })])
    await create({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'one' },
      spec: { nodeName: 'here', containers: [{ name: 'c', image: 'i' }] },
    })
    await run(['patch', 'pod', 'one', '--subresource=status', '--type=merge', '-p', '{"status":{"phase":"Running"}}'])
  })
  after(async () => {
    kubelet?.close()
    await server?.stop()
  })

  const run = async (command: string | readonly string[], stdin = '', path = kubectls[0]?.path ?? '') => {
    const env = { ...process.env, KUBECONFIG: server.kubeconfig, HOME: join(server.kubeconfig, '..') }
    return runKubectl(path, typeof command === 'string' ? command.split(' ') : [...command], env, { stdin })
  }

  for (const { minor, path } of kubectls) {
    describe(`1.${minor}`, () => {
      it('reads a log', async () => {
        const { code, stdout } = await run('logs one --tail=3 --timestamps', '', path)
        expect([code, stdout]).to.deep.equal([0, 'log of /containerLogs/default/one/c?tailLines=3&timestamps=true\n'])
      })

      it('runs a command', async () => {
        const { code, stdout, stderr } = await run('exec one -- ls -l', '', path)
        expect([code, stdout, stderr]).to.deep.equal([0, '/exec/default/one/c?command=ls&command=-l&error=1&output=1\n', 'aside\n'])
      })

      it('reports the exit code of a command', async () => {
        const { code, stderr } = await run('exec one -- false', '', path)
        expect(code).to.equal(7)
        expect(stderr).to.include('command terminated with exit code 7')
      })

      it('reads logs and metrics from a kubelet', async () => {
        const { code, stdout } = await run('get --raw /api/v1/nodes/here/proxy/healthz', '', path)
        expect([code, stdout]).to.deep.equal([0, 'log of /healthz\n'])
      })
    })
  }
})
