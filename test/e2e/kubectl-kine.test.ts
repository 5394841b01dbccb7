import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { findKine, type KineServer, startKine } from '../support/kine.ts'
import { findKubectls, followKubectl, runKubectl } from '../support/kubectl.ts'
import { createServerProcess, type ServerProcess } from '../support/server-process.ts'

const manifest = (name: string, a: string): string => `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ${name}}\ndata: {a: "${a}"}\n`
const AVAILABLE = '{"status":{"conditions":[{"type":"Available","status":"True"}]}}'

const kubectls = findKubectls()
const missing = kubectls.length === 0 ? 'there is no kubectl on PATH' : findKine() === undefined ? 'there is no kine; hack/kine builds it' : undefined
const withBoth = missing === undefined ? describe : describe.skip

withBoth(`kubectl on kine${missing === undefined ? '' : ` (skipped: ${missing})`}`, function () {
  this.timeout(180_000)
  let kine: KineServer
  let server: ServerProcess
  const home = mkdtempSync(join(tmpdir(), 'kubectl-'))

  before(async () => {
    kine = await startKine()
    server = await createServerProcess(['--etcd-servers', kine.url])
    await server.start()
  })
  after(async () => {
    await server?.stop()
    await kine?.stop()
    rmSync(home, { recursive: true, force: true })
  })

  for (const { path, minor } of kubectls)
    it(`1.${minor} applies, gets, watches, waits and deletes`, async () => {
      const env = { ...process.env, KUBECONFIG: server.kubeconfig, HOME: home }
      const namespace = `n${minor}`
      const run = async (args: readonly string[], stdin?: string): Promise<string> => {
        const { code, stdout, stderr } = await runKubectl(path, ['-n', namespace, ...args], env, stdin === undefined ? {} : { stdin })
        expect(code, `${args.join(' ')}: ${stderr}`).to.equal(0)
        return stdout.trim()
      }
      await run(['create', 'namespace', namespace])
      expect(await run(['apply', '-f', '-'], manifest('c', '1'))).to.equal('configmap/c created')
      expect(await run(['apply', '-f', '-'], manifest('c', '2'))).to.equal('configmap/c configured')
      expect(await run(['get', 'configmap', 'c', '-o', 'jsonpath={.data.a}'])).to.equal('2')
      const applied = async () => void (await run(['apply', '--server-side', '-f', '-'], manifest('d', '1')))
      const watched = await followKubectl(path, ['-n', namespace, 'get', 'configmaps', '-w', '-o', 'name'], env, /configmap\/c/, applied, [/configmap\/d/])
      expect(watched).to.match(/configmap\/d/)
      await run(['create', 'deployment', 'w', '--image=i'])
      await run(['patch', 'deployment', 'w', '--subresource=status', '--type=merge', '-p', AVAILABLE])
      expect(await run(['wait', 'deployment/w', '--for=condition=Available', '--timeout=20s'])).to.equal('deployment.apps/w condition met')
      const gone = run(['wait', 'configmap/d', '--for=delete', '--timeout=25s'])
      expect(await run(['delete', 'configmap', 'd'])).to.match(/^configmap "d" deleted/)
      await gone
      expect(await run(['delete', 'namespace', namespace])).to.equal(`namespace "${namespace}" deleted`)
    })
})
