import { type ChildProcess, spawn } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { type AddressInfo, connect, createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { expect } from 'chai'
import { goKubelet } from '../support/clients.ts'
import { findKubectls, type Result, runKubectl } from '../support/kubectl.ts'
import { type StartedServer, startBinnacle } from '../support/started-server.ts'

/** The first release that speaks over WebSockets by itself. */
const WEB_SOCKETS = 31
const SCRIPT = '/usr/bin/script'

const kubectls = findKubectls()
const kubelet = goKubelet()

const sha = (bytes: Buffer | string): string => createHash('sha256').update(bytes).digest('hex')

/** A server that reads until the other side half-closes, then returns everything. */
const echoAtEnd = (): Server =>
  createServer({ allowHalfOpen: true }, socket => {
    const heard: Buffer[] = []
    socket
      .on('data', data => heard.push(data))
      .on('error', () => {})
      .on('end', () => socket.end(Buffer.concat(heard)))
  })

describe("kubectl and a kubelet's own streams", () => {
  let server: StartedServer
  let runtime: ChildProcess
  let folder: string
  let echo: Server
  before(async function () {
    if (!('ready' in kubelet) || kubectls.length === 0) return this.skip()
    const [program, ...args] = kubelet.ready()
    runtime = spawn(program as string, args, { stdio: ['pipe', 'pipe', 'ignore'] })
    const [port] = (await once(createInterface({ input: runtime.stdout as NodeJS.ReadableStream }), 'line')) as [string]
    folder = await mkdtemp(join(tmpdir(), 'streams-'))
    echo = echoAtEnd().listen(0, '127.0.0.1')
    await once(echo, 'listening')
    server = await startBinnacle()
    const kubectl = kubectls[0]?.path ?? ''
    const create = (object: object): Promise<Result> => run(kubectl, ['create', '-f', '-'], JSON.stringify(object))
    await create({ apiVersion: 'v1', kind: 'Node', metadata: { name: 'here' } })
    const status = {
      addresses: [{ type: 'InternalIP', address: '127.0.0.1' }],
      daemonEndpoints: { kubeletEndpoint: { Port: Number(port) } },
    }
    await run(kubectl, ['patch', 'node', 'here', '--subresource=status', '--type=merge', '-p', JSON.stringify({ status })])
    const containers = [{ name: 'c', image: 'i', stdin: true }]
    await create({ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'one' }, spec: { nodeName: 'here', containers } })
    const containerStatuses = [{ name: 'c', ready: true, state: { running: {} }, image: 'i', imageID: '', restartCount: 0, lastState: {} }]
    await run(kubectl, [
      'patch',
      'pod',
      'one',
      '--subresource=status',
      '--type=merge',
      '-p',
      JSON.stringify({ status: { phase: 'Running', containerStatuses } }),
    ])
  })
  after(async () => {
    runtime?.kill()
    echo?.close()
    await server?.stop()
    if (folder !== undefined) await rm(folder, { recursive: true })
  })

  const environment = (): NodeJS.ProcessEnv => ({ ...process.env, KUBECONFIG: server.kubeconfig, HOME: join(server.kubeconfig, '..') })
  const run = (program: string, args: readonly string[], stdin = ''): Promise<Result> => runKubectl(program, args, environment(), { stdin })

  for (const { minor, path } of kubectls)
    describe(`1.${minor}`, () => {
      const exec = (command: readonly string[], stdin?: string): Promise<Result> =>
        run(path, ['exec', ...(stdin === undefined ? [] : ['-i']), 'one', '--', ...command], stdin)

      it('runs a command, and reports its exit code', async () => {
        const { code, stdout, stderr } = await exec(['sh', '-c', 'echo out; echo aside >&2; exit 7'])
        expect([code, stdout]).to.deep.equal([7, 'out\n'])
        expect(stderr).to.include('aside\n')
        expect(stderr).to.include('command terminated with exit code 7')
      })

      it('reports a missing command', async () => {
        const { code, stderr } = await exec(['/no/such/command'])
        expect(code).to.equal(1)
        expect(stderr).to.include('/no/such/command')
      })

      it('passes the whole input to a command, and reads its output', async () => {
        const text = randomBytes(3 << 20).toString('base64')
        const { code, stdout } = await exec(['cat'], text)
        expect([code, sha(stdout)]).to.deep.equal([0, sha(text)])
      })

      it('reports the exit code of a command that does not read its input', async function () {
        // SPDY of old passes as it is, and may lose the end, as with kube-apiserver.
        if (minor < WEB_SOCKETS) this.skip()
        for (let i = 0; i < 5; i++) {
          const { code, stdout } = await run('/bin/sh', ['-c', `yes | '${path}' exec -i one -- sh -c 'head -1; exit 3'`])
          expect([code, stdout]).to.deep.equal([3, 'y\n'])
        }
      })

      it('opens a terminal, with its size', async function () {
        if (!existsSync(SCRIPT)) this.skip()
        const command = `stty rows 30 cols 90; '${path}' exec -it one -- sh -c 'until [ "$(stty size)" = "30 90" ]; do sleep 0.05; done; echo sized; exit 5'`
        const { code, stdout } = await run(SCRIPT, ['-qefc', command, '/dev/null'])
        expect(stdout).to.include('sized\r\n')
        expect(code).to.equal(5)
      })

      it('attaches to a process', async () => {
        const { code, stdout } = await run(path, ['attach', '-i', 'one'], 'hello\n')
        expect(code).to.equal(0)
        expect(stdout).to.include('attached to c\nhello\n')
      })

      it('copies files in both directions', async () => {
        const own = join(folder, `own-${minor}`)
        await mkdir(own)
        const names = Array.from({ length: 5 }, (_, i) => `f${i}`)
        for (const [i, name] of names.entries()) await writeFile(join(own, name), randomBytes(100_000 * i))
        const there = join(folder, `there-${minor}`)
        const back = join(folder, `back-${minor}`)
        expect((await run(path, ['cp', own, `one:${there}`])).code).to.equal(0)
        expect((await run(path, ['cp', `one:${there}`, back])).code).to.equal(0)
        for (const name of names) expect(sha(await readFile(join(back, name)))).to.equal(sha(await readFile(join(own, name))))
      })

      it('forwards a port for several connections, closed by either side first', async () => {
        const forward = spawn(path, ['port-forward', 'pod/one', `:${(echo.address() as AddressInfo).port}`], {
          env: environment(),
          stdio: ['ignore', 'pipe', 'ignore'],
        })
        try {
          const [line] = (await once(createInterface({ input: forward.stdout }), 'line')) as [string]
          const port = Number(/127\.0\.0\.1:(\d+)/.exec(line)?.[1])
          const sizes = [0, 10, 100_000, 1_000_000, 3_000_000]
          await Promise.all(
            sizes.map(async size => {
              const sent = randomBytes(size)
              const socket = connect(port, '127.0.0.1')
              socket.end(sent)
              const heard: Buffer[] = []
              for await (const data of socket) heard.push(data as Buffer)
              expect(sha(Buffer.concat(heard))).to.equal(sha(sent))
            }),
          )
        } finally {
          forward.kill()
        }
      })

      it('counts the use of WebSockets', async () => {
        const { stdout } = await run(path, ['get', '--raw', '/metrics'])
        const counted = (name: string): boolean =>
          new RegExp(`^apiserver_stream_${name}_requests_total\\{code="\\d+"\\} [1-9]`, 'm').test(stdout)
        if (minor >= WEB_SOCKETS) expect([counted('translator'), counted('tunnel')]).to.deep.equal([true, true])
      })
    })
})
