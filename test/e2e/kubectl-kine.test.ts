import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { type RunningStore, type StoreSetup, usualStoreSetups } from '../support/etcd-setups.ts'
import { findKubectls, followKubectl, runKubectl } from '../support/kubectl.ts'
import { createServerProcess, type ServerProcess } from '../support/server-process.ts'

const manifest = (name: string, a: string): string => `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ${name}}\ndata: {a: "${a}"}\n`
const AVAILABLE = '{"status":{"conditions":[{"type":"Available","status":"True"}]}}'

const kubectls = findKubectls()
const setups = usualStoreSetups().filter(({ use }) => use === 'kine')
const missing =
  kubectls.length === 0 ? 'there is no kubectl on PATH' : setups.length === 0 ? 'there is no kine; hack/kine builds it' : undefined

if (missing !== undefined) describe.skip(`kubectl on kine (skipped: ${missing})`, () => it('passes', () => {}))
else
  for (const setup of setups)
    describe(`kubectl on ${setup.name}`, () => {
      kubectlOn(setup)
    })

function kubectlOn(setup: StoreSetup): void {
  let store: RunningStore
  let server: ServerProcess
  const home = mkdtempSync(join(tmpdir(), 'kubectl-'))

  before(async () => {
    store = await setup.start()
    server = await createServerProcess(store.flags)
    await server.start()
  })
  after(async () => {
    await server?.stop()
    await store?.stop()
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
      const watched = await followKubectl(path, ['-n', namespace, 'get', 'configmaps', '-w', '-o', 'name'], env, /configmap\/c/, applied, [
        /configmap\/d/,
      ])
      expect(watched).to.match(/configmap\/d/)
      await run(['create', 'deployment', 'w', '--image=i'])
      await run(['patch', 'deployment', 'w', '--subresource=status', '--type=merge', '-p', AVAILABLE])
      expect(await run(['wait', 'deployment/w', '--for=condition=Available', '--timeout=20s'])).to.equal('deployment.apps/w condition met')
      const gone = run(['wait', 'configmap/d', '--for=delete', '--timeout=25s'])
      expect(await run(['delete', 'configmap', 'd'])).to.match(/^configmap "d" deleted/)
      await gone
      expect(await run(['delete', 'namespace', namespace])).to.equal(`namespace "${namespace}" deleted`)
    })
}
