import { expect } from 'chai'
import { type Client, goClient, goClient137, javascriptClient, pythonClient, runClient, samples } from '../support/clients.ts'
import { type StartedServer, startBinnacle } from '../support/started-server.ts'

/** Scenario of the Go program and what its clients speak. */
const SCENARIOS: readonly (readonly [scenario: string, media: 'json' | 'protobuf' | 'cbor', why: string])[] = [
  ['typed', 'json', 'generated clients of fifty kinds'],
  ['typed', 'protobuf', 'generated clients of fifty kinds'],
  ['typed', 'cbor', 'generated clients of fifty kinds'],
  ['informers', 'json', 'shared informers'],
  ['informers', 'protobuf', 'shared informers'],
  ['informers', 'cbor', 'shared informers'],
  ['discovery', 'json', 'discovery, RESTMapper and OpenAPI'],
  ['dynamic', 'json', 'the dynamic client and its informers'],
  ['dynamic', 'cbor', 'the dynamic client and its informers'],
  ['metadata', 'protobuf', 'the metadata client and its informers'],
  ['subresources', 'json', 'scale, status, binding, eviction, resize, tokens, approval, finalize'],
  ['subresources', 'protobuf', 'scale, status, binding, eviction, resize, tokens, approval, finalize'],
  ['reviews', 'json', 'reviews of who one is and what one may'],
  ['reviews', 'protobuf', 'reviews of who one is and what one may'],
  ['apply', 'protobuf', 'typed apply'],
  ['errors', 'json', 'errors, told apart'],
  ['errors', 'protobuf', 'errors, told apart'],
  ['manager', 'json', 'a controller-runtime manager'],
  ['manager', 'protobuf', 'a controller-runtime manager'],
]
const CBOR = { KUBE_FEATURE_ClientsAllowCBOR: 'true', KUBE_FEATURE_ClientsPreferCBOR: 'true' }

/** Flags that serve every kind that 1.37 added. */
const RELEASE_137 = [
  '--emulated-version=1.37',
  '--feature-gates=GenericWorkload=true,TopologyAwareWorkloadScheduling=true,CompositePodGroup=true,EvictionRequestAPI=true,CSIVolumeHealth=true',
  '--runtime-config=scheduling.k8s.io/v1beta1=true,scheduling.k8s.io/v1alpha3=true,lifecycle.k8s.io/v1alpha1=true',
  '--authorization-mode=RBAC',
]

/** Defines the tests of one library. They are skipped, with the reason in their title, if it is not installed. */
function withClient(
  library: string,
  client: Client,
  tests: (run: (args: readonly string[], env?: Readonly<Record<string, string>>) => void) => void,
  flags: readonly string[] = ['--feature-gates=CBORServingAndStorage=true', '--authorization-mode=RBAC'],
): void {
  const missing = 'missing' in client
  const suite = missing ? describe.skip : describe
  suite(`${library}${missing ? ` (skipped: ${client.missing})` : ''}`, function () {
    this.timeout(700_000)
    let server: StartedServer
    let command: readonly string[]
    before(async () => {
      if ('ready' in client) command = client.ready()
      server = await startBinnacle(flags)
    })
    after(() => server?.stop())
    tests((args, env = {}) => {
      const { status, stdout, stderr } = runClient(command, args, { KUBECONFIG: server.kubeconfig, ...env })
      expect(status, `${stdout}${stderr}`).to.equal(0)
    })
  })
}

describe('client libraries', () => {
  withClient('client-go and controller-runtime', goClient(), run => {
    for (const [scenario, media, why] of SCENARIOS)
      it(`${why}, in ${media}`, () => run(['-samples', samples, '-media', media, scenario], media === 'cbor' ? CBOR : {}))
    it('shared informers with WatchList', () =>
      run(['-samples', samples, '-media', 'protobuf', '-name', 'watch-list', 'informers'], { KUBE_FEATURE_WatchListClient: 'true' }))
  })
  withClient(
    'client-go of 1.37',
    goClient137(),
    run => {
      it('generated clients and apply configurations of new kinds, in JSON', () => run(['json']))
      it('generated clients and apply configurations of new kinds, in protobuf', () => run(['protobuf']))
      it('the dynamic client and its informers', () => run(['dynamic']))
      it('shared informers with WatchList, compressed', () => run(['informers']))
    },
    RELEASE_137,
  )
  withClient('the Python client', pythonClient(), run => {
    it('creates, reads, lists, watches, patches, applies and deletes every kind', () => run([samples]))
  })
  withClient('@kubernetes/client-node', javascriptClient(), run => {
    it('creates, reads, lists, watches, patches, applies and deletes every kind', () => run([samples]))
  })
})
