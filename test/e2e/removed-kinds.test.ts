import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { deprecationIn, existsIn } from '../../src/lifecycle/lifecycle.ts'
import { minorOf, type Release } from '../../src/lifecycle/release.ts'
import { findKubectls, type Result, runKubectl, words } from '../support/kubectl.ts'
import { type StartedServer, startBinnacle } from '../support/started-server.ts'

const FILE = join(import.meta.dirname, '..', 'fixtures', 'manifests', 'removed-kinds.yaml')
const documents = readFileSync(FILE, 'utf8').split('---\n')
const fieldOf = (document: string, field: string): string => new RegExp(`^${field}: (\\S+)$`, 'm').exec(document)?.[1] ?? ''

const kubectls = findKubectls()
const [kubectl] = kubectls
/** Of those that there are, the newest that is no newer than the release, or the oldest. */
const nearest = (release: Release): string => (kubectls.findLast(({ minor }) => minor <= minorOf(release)) ?? kubectl)?.path ?? ''
const withKubectl = kubectl ? describe : describe.skip

withKubectl(`kubectl with manifests of removed kinds${kubectl ? '' : ' (skipped: there is none on PATH)'}`, () => {
  for (const release of ['1.24', '1.25', '1.26', '1.28', '1.31'] as const satisfies readonly Release[])
    describe(`on a server of ${release}`, () => {
      let server: StartedServer
      let env: NodeJS.ProcessEnv
      const served = documents.filter(document => existsIn(release, fieldOf(document, 'apiVersion'), fieldOf(document, 'kind')))
      const run = (command: string, stdin?: string): Promise<Result> =>
        runKubectl(nearest(release), words(command), env, stdin === undefined ? {} : { stdin })
      before(async () => {
        server = await startBinnacle([`--emulated-version=${release}`])
        env = { ...process.env, KUBECONFIG: server.kubeconfig, HOME: join(server.kubeconfig, '..', 'home') }
      })
      after(() => server.stop())

      it('are applied with warnings, and unchanged a second time', async () => {
        const first = await run('apply -f -', served.join('---\n'))
        const warnings = served.flatMap(
          document => deprecationIn(release, fieldOf(document, 'apiVersion'), fieldOf(document, 'kind'))?.warning ?? [],
        )
        expect([first.code, first.stderr.trim().split('\n')], first.stdout).to.deep.equal([
          0,
          warnings.map(warning => `Warning: ${warning}`),
        ])
        expect(first.stdout.match(/ created$/gm)).to.have.length(served.length)
        const second = await run('apply -f -', served.join('---\n'))
        expect([second.code, second.stdout.match(/ unchanged$/gm)?.length], second.stdout).to.deep.equal([0, served.length])
      })

      it('are applied on the server', async () => {
        const { code, stdout } = await run('apply --server-side --force-conflicts -f -', served.join('---\n'))
        expect([code, stdout.match(/ serverside-applied$/gm)?.length], stdout).to.deep.equal([0, served.length])
      })

      it('need no change, and others are rejected', async () => {
        expect((await run('diff -f -', served.join('---\n'))).stdout).to.equal('')
        const others = documents.filter(document => !served.includes(document))
        if (others.length === 0) return
        const { stderr } = await run('apply -f -', others.join('---\n'))
        for (const document of others)
          expect(stderr).to.include(`no matches for kind "${fieldOf(document, 'kind')}" in version "${fieldOf(document, 'apiVersion')}"`)
      })

      if (release === '1.24')
        it('are read in versions that remain', async () => {
          const jsonOf = async (command: string): Promise<unknown> => JSON.parse((await run(`${command} -o jsonpath={.spec}`)).stdout)
          expect(await jsonOf('get horizontalpodautoscalers.v2.autoscaling flat')).to.deep.include({
            metrics: [{ type: 'Pods', pods: { metric: { name: 'hits' }, target: { type: 'AverageValue', averageValue: '5' } } }],
          })
          expect(await jsonOf('get horizontalpodautoscalers.v2beta1.autoscaling nested')).to.deep.include({
            metrics: [{ type: 'Pods', pods: { metricName: 'hits', targetAverageValue: '5' } }],
          })
          expect(await jsonOf('get poddisruptionbudgets.v1beta1.policy web')).to.deep.equal({ minAvailable: 1, selector: {} })
          expect((await run('get endpointslices.v1.discovery.k8s.io web -o jsonpath={.endpoints[0].zone}')).stdout).to.equal('zone-1')
        })
    })
})
