import { join } from 'node:path'
import { expect } from 'chai'
import { findKubectls, runKubectl, words } from '../support/kubectl.ts'
import { type StartedServer, startBinnacle } from '../support/started-server.ts'

const [kubectl] = findKubectls().slice(-1)
const withKubectl = kubectl ? describe : describe.skip

const template = (image: string): object => ({ metadata: { labels: { app: 'a' } }, spec: { containers: [{ name: 'c', image }] } })
const SETS: readonly { readonly kind: string; readonly name: string; readonly spec: object }[] = [
  { kind: 'StatefulSet', name: 'statefulset.apps/a', spec: { replicas: 2, serviceName: 'a' } },
  { kind: 'DaemonSet', name: 'daemonset.apps/a', spec: {} },
]

withKubectl('kubectl rollout in a cluster', () => {
  let server: StartedServer
  before(async () => {
    server = await startBinnacle(['--profile=cluster', '--nodes=2'])
  })
  after(() => server?.stop())

  for (const { kind, name, spec } of SETS)
    it(`waits for, lists, undoes and restarts rollouts of a ${kind}`, async () => {
      const run = async (command: string, stdin = ''): Promise<string> => {
        const env = { ...process.env, KUBECONFIG: server.kubeconfig, HOME: join(server.kubeconfig, '..', 'home') }
        const { code, stdout, stderr } = await runKubectl(kubectl?.path ?? '', words(command), env, { stdin })
        expect(code, `kubectl ${command}\n${stderr}`).to.equal(0)
        return stdout
      }
      const status = (): Promise<string> => run(`rollout status ${name} --timeout=20s`)
      const images = (): Promise<string> => run("get pods -l app=a -o jsonpath='{.items[*].spec.containers[0].image}'")
      const revisions = async (): Promise<string[]> => (await run(`rollout history ${name}`)).match(/^\d+/gm) ?? []

      const set = {
        apiVersion: 'apps/v1',
        kind,
        metadata: { name: 'a' },
        spec: { ...spec, selector: { matchLabels: { app: 'a' } }, template: template('app:1') },
      }
      await run('apply -f -', JSON.stringify(set))
      expect(await status()).to.match(/roll out complete: 2 new pods have been updated|successfully rolled out/)
      await run(`set image ${name} c=app:2`)
      await status()
      expect(await images()).to.equal('app:2 app:2')
      expect(await revisions()).to.deep.equal(['1', '2'])
      expect(await run(`rollout history ${name} --revision=1`)).to.match(/Image:\s+app:1/)
      expect(await run(`rollout undo ${name}`)).to.match(/rolled back/)
      await status()
      expect(await images()).to.equal('app:1 app:1')
      expect(await revisions()).to.deep.equal(['2', '3'])
      const before = await run("get pods -l app=a -o jsonpath='{.items[*].metadata.uid}'")
      expect(await run(`rollout restart ${name}`)).to.match(/restarted/)
      await status()
      const after = await run("get pods -l app=a -o jsonpath='{.items[*].metadata.uid}'")
      expect(words(after).filter(uid => before.includes(uid))).to.deep.equal([])
      await run(`rollout undo ${name} --to-revision=2`)
      await status()
      expect(await images()).to.equal('app:2 app:2')
      await run(`delete ${name}`)
      await run('wait --for=delete pod -l app=a --timeout=20s')
    })
})
