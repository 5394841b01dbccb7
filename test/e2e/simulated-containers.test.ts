import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { findKubectls, runKubectl } from '../support/kubectl.ts'
import { type StartedServer, startBinnacle } from '../support/started-server.ts'
import { eventually } from '../support/waiting.ts'

const kubectls = findKubectls()

const rulesFor = (folder: string): string => `
apiVersion: kwok.x-k8s.io/v1alpha1
kind: ClusterLogs
metadata: {name: all}
spec: {logs: [{text: "one\\ntwo\\n"}]}
---
apiVersion: kwok.x-k8s.io/v1alpha1
kind: ClusterExec
metadata: {name: all}
spec: {execs: [{local: {workDir: ${folder}}}]}
---
apiVersion: kwok.x-k8s.io/v1alpha1
kind: ClusterAttach
metadata: {name: all}
spec: {attaches: [{text: welcome, echo: true}]}
---
apiVersion: kwok.x-k8s.io/v1alpha1
kind: ClusterPortForward
metadata: {name: all}
spec: {forwards: [{text: "HTTP/1.1 200 OK\\r\\nContent-Length: 2\\r\\nConnection: close\\r\\n\\r\\nhi"}]}
`

describe('kubectl and simulated containers', () => {
  let server: StartedServer
  let folder: string
  before(async function () {
    if (kubectls.length === 0) this.skip()
    folder = mkdtempSync(join(tmpdir(), 'containers-'))
    server = await startBinnacle(['--profile=cluster', '--simulated-access=processes'])
    // A pod is refused until its namespace has a service account.
    await eventually('the service account exists', async () => (await run('get serviceaccount default')).code === 0, 100)
    expect((await run('run web --image=nginx')).code).to.equal(0)
    expect((await run('wait --for=condition=Ready pod/web --timeout=120s')).code).to.equal(0)
  })
  after(async () => {
    await server?.stop()
    if (folder) rmSync(folder, { recursive: true })
  })

  const environment = () => ({ ...process.env, KUBECONFIG: server.kubeconfig, HOME: folder })
  const run = (command: string | readonly string[], stdin = '', path = kubectls[0]?.path ?? '') =>
    runKubectl(path, typeof command === 'string' ? command.split(' ') : [...command], environment(), { stdin })

  it('print what to do without a rule', async () => {
    expect((await run('logs web')).stdout).to.include('a Logs or ClusterLogs object of kwok.x-k8s.io/v1alpha1 gives it one')
    const { code, stderr } = await run('exec web -- ls')
    expect(code).to.equal(1)
    expect(stderr).to.include('create an Exec or ClusterExec object of kwok.x-k8s.io/v1alpha1')
    expect((await run('apply -f -', rulesFor(folder))).code).to.equal(0)
  })

  for (const { minor, path } of kubectls) {
    describe(`1.${minor}`, () => {
      const ask = (command: string | readonly string[], stdin = '') => run(command, stdin, path)

      it('read logs', async () => {
        expect((await ask('logs web --tail=1')).stdout).to.equal('two\n')
        expect((await ask('logs web --all-containers --limit-bytes=3')).stdout).to.equal('one')
      })

      it('run commands, with their input and exit code', async () => {
        const { code, stdout, stderr } = await ask(['exec', '-i', 'web', '--', 'sh', '-c', 'cat; echo no >&2; exit 3'], 'typed')
        expect([code, stdout]).to.deep.equal([3, 'typed'])
        expect(stderr).to.include('no\n').and.include('exit code 3')
      })

      it('copy files', async () => {
        const [up, down] = [join(folder, 'up'), join(folder, 'down')]
        writeFileSync(up, 'x'.repeat(300_000))
        expect((await ask(['cp', up, 'web:copy'])).code).to.equal(0)
        expect((await ask(['cp', 'web:copy', down])).code).to.equal(0)
        expect(readFileSync(down).equals(readFileSync(up))).to.equal(true)
      })

      it('attach', async () => {
        expect((await ask('attach -i web', 'typed')).stdout)
          .to.include('welcome')
          .and.include('typed')
      })

      it('forward ports, one connection after the other', async () => {
        const child = spawn(path, ['port-forward', 'pod/web', ':80'], { env: environment(), stdio: ['ignore', 'pipe', 'ignore'] })
        try {
          const [line] = (await once(child.stdout, 'data')) as [Buffer]
          const port = Number(/127\.0\.0\.1:(\d+)/.exec(line.toString())?.[1])
          const texts: string[] = []
          for (let i = 0; i < 2; i++) texts.push(await textAt(port))
          expect(texts).to.deep.equal(['hi', 'hi'])
        } finally {
          child.kill()
        }
      })
    })
  }
})

const textAt = (port: number): Promise<string> =>
  new Promise((resolve, reject) => {
    request({ host: '127.0.0.1', port, agent: false }, response => {
      let text = ''
      response.on('data', data => (text += data)).on('end', () => resolve(text))
    })
      .on('error', reject)
      .end()
  })
