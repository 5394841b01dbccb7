import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { isOwnFrontProxy } from '../../../src/config/auth-config.ts'
import { readCommandLine } from '../../../src/config/command-line.ts'
import type { Config } from '../../../src/config/config.ts'
import { FlagError } from '../../../src/config/parse-flags.ts'
import { BUILT_CONTROLLERS, CONTROLLER_ALIASES, MISSING_CONTROLLERS } from '../../../src/controllers/names.ts'
import { NEWEST_RELEASE } from '../../../src/lifecycle/release.ts'
import { DEFAULT_TLS_POLICY } from '../../../src/server/tls/tls-policy.ts'

function serve(...argv: string[]): { config: Config; ignored: readonly string[] } {
  const command = readCommandLine(argv)
  if (command.action !== 'serve') throw new Error(`asked for ${command.action}`)
  return command
}

describe('the command line', () => {
  it('has safe defaults', () => {
    const { config, ignored } = serve()
    expect(ignored).to.deep.equal([])
    expect(config.listening).to.include({ bindAddress: '127.0.0.1', securePort: 6443, insecurePort: 0 })
    expect(config.files).to.include({ dataDir: 'data', kubeconfigOut: 'data/admin.kubeconfig', certDir: 'data/pki' })
    expect(config.storage).to.include({ etcdPrefix: '/registry', compactionIntervalMs: 300_000, eventTtlMs: 3_600_000 })
    expect(config.controllers.quotaSyncPeriodMs).to.equal(300_000)
    expect(config.requests).to.include({ timeoutMs: 60_000, minTimeoutMs: 1_800_000 })
    expect(config.storage.etcd).to.equal(undefined)
    expect(config.access.authorization.modes).to.deep.equal(['RBAC'])
    expect(config.process.workers).to.equal(1)
    expect(config.serving.http2).to.equal('own')
    expect(config.network.serviceNodePorts).to.deep.equal({ first: 30_000, last: 32_767 })
    expect([config, ...Object.values(config)].filter(group => !Object.isFrozen(group))).to.deep.equal([])
  })

  it('simulates a number of nodes, or those of a file', () => {
    const nodes = (value: string): unknown => serve('--profile=cluster', `--nodes=${value}`).config.controllers.nodes
    expect([serve().config.controllers.nodes, nodes('3'), nodes('pools.yaml')]).to.deep.equal([1, 3, { file: 'pools.yaml' }])
    for (const value of ['-1', '100001'])
      expect(() => nodes(value)).to.throw(FlagError, `--nodes ${value} must be between 0 and 100000, inclusive`)
  })

  it('runs each controller that is built, if it is named', () => {
    for (const name of BUILT_CONTROLLERS) expect([...serve(`--controllers=${name}`).config.controllers.enabled], name).to.deep.equal([name])
    for (const name of MISSING_CONTROLLERS)
      expect(() => serve(`--controllers=${name}`), name).to.throw(FlagError, 'is not built into this program')
  })

  it('rejects flags of a controller that does not run', () => {
    for (const [flag, name] of [
      ['nodes=2', 'kubelet'],
      ['simulated-access=files', 'kubelet'],
      ['scheduler-config=s.yaml', 'scheduler'],
      ['load-balancer-ip-range=192.0.2.0/24', 'service-lb-controller'],
    ]) {
      const message = `--${flag?.replace(/=.*/, '')} has no effect without ${name}: enable it by --profile=cluster`
      expect(() => serve(`--${flag}`), flag).to.throw(FlagError, message)
      expect(() => serve('--profile=cluster', `--controllers=*,-${name}`, `--${flag}`), flag).to.throw(FlagError, message)
      expect(() => serve('--profile=cluster', `--${flag}`), flag).not.to.throw()
    }
  })

  it('stores JSON or protobuf', () => {
    const stored = (...flags: string[]) => serve(...flags).config.storage.storedAs
    expect([
      stored(),
      stored('--storage-media-type=application/json'),
      stored('--storage-media-type=application/vnd.kubernetes.protobuf'),
    ]).to.deep.equal(['json', 'json', 'protobuf'])
    expect(() => serve('--storage-media-type=application/yaml')).to.throw(
      FlagError,
      '--storage-media-type: "application/yaml" is not implemented; it may be',
    )
  })

  it('encrypts as configured by a file', () => {
    expect(serve().config.storage.encryption).to.equal(undefined)
    expect(serve('--encryption-provider-config=e.yaml').config.storage.encryption).to.deep.equal({ file: 'e.yaml', automaticReload: false })
    expect(
      serve('--encryption-provider-config=e.yaml', '--encryption-provider-config-automatic-reload').config.storage.encryption,
    ).to.deep.equal({
      file: 'e.yaml',
      automaticReload: true,
    })
  })

  it('serves TLS 1.2 and HTTP/2 by default', () => {
    const { serving } = serve().config
    expect(serving.tls).to.deep.equal(DEFAULT_TLS_POLICY)
    expect(serving).to.deep.include({
      named: [],
      http2: 'own',
      maxStreams: 1000,
      hsts: [],
      corsOrigins: [],
      goawayChance: 0,
      readOnly: false,
    })
    const flags = [
      '--disable-http2-serving',
      '--http2-max-streams-per-connection=0',
      '--goaway-chance=0.02',
      '--strict-transport-security-directives=max-age=1,preload',
    ]
    const other = serve(...flags, '--tls-min-version=VersionTLS13', '--tls-curve-preferences=23,29', '--cors-allowed-origins=//a(:|$)')
      .config.serving
    expect(other.tls).to.include({ minVersion: 'TLSv1.3', curves: 'X25519:P-256' })
    expect(other).to.deep.include({
      http2: undefined,
      maxStreams: 100,
      hsts: ['max-age=1', 'preload'],
      corsOrigins: ['//a(:|$)'],
      goawayChance: 0.02,
    })
  })

  it("limits the streams of Node's HTTP/2 by default", () => {
    expect(serve('--http2=builtin').config.serving.maxStreams).to.equal(250)
    expect(serve('--http2=builtin', '--http2-max-streams-per-connection=1000').config.serving.maxStreams).to.equal(1000)
  })

  it('warns of a preview of a release', () => {
    const warning = '--emulated-version: 1.38 is a preview of v1.38.0-beta.0: what is not published yet may differ in the release'
    expect(serve('--emulated-version=1.38').config.observability.warnings).to.deep.equal([warning])
    expect(serve('--emulated-version=1.37').config.observability.warnings).to.deep.equal([])
  })

  it('accepts cipher suites by their Go names, and warns of insecure and unknown ones', () => {
    const { config } = serve(
      '--tls-cipher-suites=TLS_RSA_WITH_RC4_128_SHA,TLS_RSA_WITH_AES_128_CBC_SHA,TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256',
    )
    expect(config.serving.tls.ciphers).to.match(/:TLS_CHACHA20_POLY1305_SHA256:ECDHE-RSA-AES128-GCM-SHA256:AES128-SHA$/)
    expect(config.observability.warnings).to.deep.equal([
      "Use of insecure cipher 'TLS_RSA_WITH_AES_128_CBC_SHA' detected.",
      "Use of insecure cipher 'TLS_RSA_WITH_RC4_128_SHA' detected.",
      '--tls-cipher-suites: TLS_RSA_WITH_RC4_128_SHA is not offered: OpenSSL has removed it',
    ])
  })

  it('accepts several SNI certificates', () =>
    expect(
      serve('--tls-sni-cert-key=a.crt,a.key', '--tls-sni-cert-key', ' b.crt , b.key : *.b.com , b.com').config.serving.named,
    ).to.deep.equal([
      { cert: 'a.crt', key: 'a.key', names: [] },
      { cert: 'b.crt', key: 'b.key', names: ['*.b.com', 'b.com'] },
    ]))

  it('parses values after an equals sign or a space, underscores for dashes, and -v', () => {
    const { config } = serve('--secure-port=1', '--bind-address', '0.0.0.0', '--data_dir=/x', '-v', '3')
    expect(config.listening).to.include({ securePort: 1, bindAddress: '0.0.0.0' })
    expect(config.files).to.include({ dataDir: '/x', certDir: '/x/pki' })
    expect(config.observability.verbosity).to.equal(3)
    expect(serve('-v=4').config.observability.verbosity).to.equal(4)
    expect(serve('--v=4').config.observability.verbosity).to.equal(4)
    expect(serve('-v4').config.observability.verbosity).to.equal(4)
  })

  it('configures connections to kubelets', () => {
    expect(serve().config.network.kubelets).to.deep.equal({
      addressTypes: ['Hostname', 'InternalDNS', 'InternalIP', 'ExternalDNS', 'ExternalIP'],
      port: 10250,
      caFile: undefined,
      client: undefined,
    })
    const files = ['--kubelet-client-certificate=c', '--kubelet-client-key=k', '--kubelet-certificate-authority=ca']
    expect(
      serve('--kubelet-preferred-address-types=InternalIP,Hostname', '--kubelet-port=1', ...files).config.network.kubelets,
    ).to.deep.equal({
      addressTypes: ['InternalIP', 'Hostname'],
      port: 1,
      caFile: 'ca',
      client: { cert: 'c', key: 'k' },
    })
    expect(() => serve('--kubelet-preferred-address-types=Street')).to.throw(FlagError, '"Street" is not a type of address')
    expect(() => serve('--kubelet-client-key=k')).to.throw(
      FlagError,
      '--kubelet-client-certificate and --kubelet-client-key must be set together',
    )
  })

  it('uses the last value of a scalar, and accumulates lists', () => {
    const { config } = serve('--etcd-servers=http://a:1,http://b:2/', '--etcd-servers=http://c:3', '--secure-port=1', '--secure-port=2')
    expect(config.storage.etcd?.servers).to.deep.equal(['http://a:1', 'http://b:2', 'http://c:3'])
    expect(config.storage.etcd?.overrides).to.deep.equal([])
    expect(config.listening.securePort).to.equal(2)
  })

  it('parses booleans with and without a value', () => {
    expect(serve('--anonymous-auth=false').config.access.authentication.anonymous).to.equal(false)
    expect(serve('--anonymous-auth').config.access.authentication.anonymous).to.equal(true)
  })

  it('lists flags without effect', () =>
    expect(serve('--allow-privileged', '--delete-collection-workers=2').ignored).to.deep.equal([
      'allow-privileged',
      'delete-collection-workers',
    ]))

  it('accepts the flags of envtest', () => {
    const { config } = serve(
      '--advertise-address=127.0.0.1',
      '--allow-privileged=true',
      '--authorization-mode=RBAC',
      '--bind-address=127.0.0.1',
      '--cert-dir=/tmp/x',
      '--client-ca-file=/tmp/x/client-cert-auth-ca.crt',
      '--disable-admission-plugins=ServiceAccount',
      '--etcd-servers=http://127.0.0.1:4001',
      '--secure-port=4002',
      '--service-account-issuer=https://127.0.0.1:4002/',
      '--service-account-key-file=/tmp/x/sa-signer.crt',
      '--service-account-signing-key-file=/tmp/x/sa-signer.key',
      '--service-cluster-ip-range=10.0.0.0/24',
    )
    expect([config.listening.securePort, config.files.certDir]).to.deep.equal([4002, '/tmp/x'])
  })

  it('authorizes by RBAC by default, after the rules of a file if given', () => {
    const modes = (...flags: string[]) => serve(...flags).config.access.authorization.modes
    expect(modes('--authorization-rules-file=rules.yaml')).to.deep.equal(['Rules', 'RBAC'])
    expect(modes('--authorization-rules-file=rules.yaml', '--authorization-mode=Rules')).to.deep.equal(['Rules'])
    expect(modes('--authorization-mode=')).to.deep.equal(['RBAC'])
  })

  it('accepts the flags of kwokctl', () => {
    const { config } = serve(
      '--profile=apiserver',
      '--etcd-prefix=/registry',
      '--allow-privileged=true',
      '--admission-control=',
      '--max-requests-inflight=500',
      '--etcd-servers=http://127.0.0.1:2379',
      '--authorization-mode=Node,RBAC',
      '--bind-address=0.0.0.0',
      '--tls-cert-file=admin.crt',
      '--tls-private-key-file=admin.key',
      '--client-ca-file=ca.crt',
      '--service-account-key-file=admin.key',
      '--service-account-signing-key-file=admin.key',
      '--service-account-issuer=https://kubernetes.default.svc.cluster.local',
      '--proxy-client-key-file=admin.key',
      '--proxy-client-cert-file=admin.crt',
    )
    expect(config.access.authorization.modes).to.deep.equal(['Node', 'RBAC'])
    expect(config.admission.plugins).to.deep.equal([])
    expect(config.observability.warnings).to.deep.equal([
      'Flag --admission-control has been deprecated, Use --enable-admission-plugins or --disable-admission-plugins instead. Will be removed in a future version.',
    ])
  })

  it('limits concurrent requests', () => {
    expect(serve().config.requests).to.include({ priorityAndFairness: true, maxInFlight: 400, maxMutatingInFlight: 200 })
    const none = ['--max-requests-inflight=0', '--max-mutating-requests-inflight=0']
    expect(() => serve(...none)).to.throw(
      FlagError,
      'MaxRequestsInFlight=0 and MaxMutatingRequestsInFlight=0; they must add up to something positive',
    )
    expect(serve(...none, '--enable-priority-and-fairness=false').config.requests).to.include({
      priorityAndFairness: false,
      maxInFlight: 0,
    })
  })

  it('configures the routing to services and aggregated servers', () => {
    expect(serve().config.network.services).to.deep.equal({
      addresses: new Map(),
      toEndpoints: false,
      proxyClient: undefined,
      refusesRedirects: true,
    })
    const { services } = serve(
      '--service-addresses=a/b=127.0.0.1:1,c/d:8=[::1]:2',
      '--enable-aggregator-routing',
      '--aggregator-reject-forwarding-redirect=false',
      '--proxy-client-cert-file=p.crt',
      '--proxy-client-key-file=p.key',
    ).config.network
    expect([...services.addresses.keys()]).to.deep.equal(['a/b', 'c/d:8'])
    expect(services).to.deep.include({ toEndpoints: true, refusesRedirects: false, proxyClient: { cert: 'p.crt', key: 'p.key' } })
    expect(() => serve('--service-addresses=a')).to.throw('--service-addresses: "a" is not NAMESPACE/NAME=HOST:PORT')
    expect(() => serve('--proxy-client-cert-file=p.crt')).to.throw(
      '--proxy-client-cert-file and --proxy-client-key-file must be set together',
    )
  })

  it('accepts the flags of kubeadm', () => {
    const { config } = serve(
      '--profile=apiserver',
      '--advertise-address=10.1.2.3',
      '--authorization-mode=Node,RBAC',
      '--enable-admission-plugins=NodeRestriction',
      '--enable-bootstrap-token-auth=true',
      '--etcd-servers=https://127.0.0.1:2379',
      '--requestheader-allowed-names=front-proxy-client',
      '--requestheader-client-ca-file=front-proxy-ca.crt',
      '--requestheader-username-headers=X-Remote-User',
    )
    expect(config.admission.plugins).to.include('NodeRestriction')
    expect(config.access.bootstrapTokens).to.equal(true)
    expect(config.observability.warnings).to.deep.equal([])
  })

  it('makes a server of the profile cluster its own front proxy, unless a flag names another one', () => {
    const frontProxy = (...flags: string[]) => serve('--profile=cluster', ...flags).config.access
    expect(isOwnFrontProxy(frontProxy())).to.equal(true)
    expect(frontProxy().requestHeader).to.deep.equal({
      clientCaFile: undefined,
      allowedNames: ['front-proxy-client'],
      usernameHeaders: ['X-Remote-User'],
      uidHeaders: [],
      groupHeaders: ['X-Remote-Group'],
      extraHeaderPrefixes: ['X-Remote-Extra-'],
    })
    expect(frontProxy('--proxy-client-cert-file=a.crt', '--proxy-client-key-file=a.key').requestHeader).to.equal(undefined)
    expect(frontProxy('--requestheader-client-ca-file=ca.crt').requestHeader?.clientCaFile).to.equal('ca.crt')
  })

  it('validates the headers of front proxies', () => {
    const ca = '--requestheader-client-ca-file=ca.crt'
    expect(serve().config.access.requestHeader).to.equal(undefined)
    expect(serve('--requestheader-username-headers=X-Remote-User').config.access.requestHeader).to.equal(undefined)
    expect(
      serve(ca, '--requestheader-username-headers=X-Remote-User,Other', '--requestheader-uid-headers=x-remote-uid').config.access
        .requestHeader,
    ).to.deep.equal({
      clientCaFile: 'ca.crt',
      usernameHeaders: ['X-Remote-User', 'Other'],
      uidHeaders: ['x-remote-uid'],
      groupHeaders: [],
      extraHeaderPrefixes: [],
      allowedNames: [],
    })
    const empty = 'empty value in "requestheader-'
    expect(() => serve('--requestheader-username-headers=a, ,b')).to.throw(`${empty}username-headers"`)
    expect(() => serve('--requestheader-group-headers= ')).to.throw(`${empty}group-headers"`)
    expect(() => serve('--requestheader-extra-headers-prefix= ')).to.throw(`${empty}extra-headers-prefix"`)
    expect(() => serve('--requestheader-allowed-names=a, ')).to.throw(`${empty}allowed-names"`)
    const uid = '--requestheader-uid-headers'
    expect(() => serve(`${uid}=Other`)).to.throw(
      `${uid} is set without specifying the standard X-Remote-Uid header - API aggregation will not work`,
    )
    expect(() => serve(`${uid}=X-Remote-Uid`, '--feature-gates=RemoteRequestHeaderUID=false')).to.throw(
      `${uid} requires the "RemoteRequestHeaderUID" feature to be enabled`,
    )
    expect(
      serve('--requestheader-username-headers=U', '--requestheader-group-headers=G', '--requestheader-extra-headers-prefix=E').config
        .observability.warnings,
    ).to.deep.equal(
      [
        ['username-headers', 'X-Remote-User header'],
        ['group-headers', 'X-Remote-Group header'],
        ['extra-headers-prefix', 'X-Remote-Extra- header prefix'],
      ].map(([flag, what]) => `--requestheader-${flag} is set without specifying the standard ${what} - API aggregation will not work`),
    )
  })

  // Deprecation policy, rule 6.
  it('warns of deprecated flags', () => {
    expect(serve('--admission-control=Priority', '--kubelet-port=10255').config.observability.warnings).to.deep.equal([
      'Flag --admission-control has been deprecated, Use --enable-admission-plugins or --disable-admission-plugins instead. Will be removed in a future version.',
      'Flag --kubelet-port has been deprecated, kubelet-port is deprecated and will be removed.',
    ])
    expect(serve('--enable-admission-plugins=Priority').config.observability.warnings).to.deep.equal([])
  })

  it('enables and disables admission plugins', () => {
    const plugins = (...flags: string[]) => serve(...flags).config.admission.plugins
    expect(plugins()).to.include.members(['NamespaceLifecycle', 'ServiceAccount', 'PodSecurity']).and.not.include('NodeRestriction')
    expect(plugins('--enable-admission-plugins=PodSecurity,NamespaceLifecycle')).to.deep.equal(plugins())
    expect(plugins('--disable-admission-plugins=ServiceAccount,EventRateLimit')).to.deep.equal(
      plugins().filter(name => name !== 'ServiceAccount'),
    )
    expect(plugins('--admission-control=Priority,NamespaceLifecycle')).to.deep.equal(['NamespaceLifecycle', 'Priority'])
  })

  it('requires service accounts of pods, unless their controller is disabled', () => {
    const requires = (...argv: string[]): boolean => serve(...argv).config.admission.requireServiceAccounts
    expect(requires()).to.equal(true)
    expect(requires('--controllers=*,-serviceaccount-controller')).to.equal(false)
    expect(requires('--profile=apiserver')).to.equal(true)
  })

  it('runs parts of a cluster if its profile or their names are given', () => {
    const enabled = (...argv: string[]): string[] => [...serve(...argv).config.controllers.enabled]
    expect(enabled()).to.not.include('replicaset-controller')
    expect(enabled('--controllers=*')).to.deep.equal(enabled())
    expect(enabled('--profile=cluster')).to.include.members([...enabled(), 'replicaset-controller'])
    expect(enabled('--profile=cluster', '--controllers=*,-replicaset-controller,-ttl-controller')).to.not.include('replicaset-controller')
    expect(enabled('--profile=cluster', '--controllers=*,-kubelet'), 'its volumes are for simulated nodes').to.not.include('volume-driver')
    expect(enabled('--profile=cluster', '--controllers=*,-kubelet,volume-driver')).to.include('volume-driver')
    expect(enabled('--controllers=replicaset-controller')).to.deep.equal(['replicaset-controller'])
    expect(enabled('--controllers=replicaset')).to.deep.equal(['replicaset-controller'])
    const asKubeadm = enabled('--profile=cluster', '--controllers=*,bootstrapsigner,tokencleaner,-podgc')
    expect(asKubeadm).to.include.members(['bootstrap-signer-controller', 'token-cleaner-controller', 'replicaset-controller'])
    expect(asKubeadm).to.not.include('pod-garbage-collector-controller')
    for (const [alias, name] of CONTROLLER_ALIASES) {
      const isBuilt = !MISSING_CONTROLLERS.includes(name)
      if (isBuilt) expect(enabled(`--controllers=${alias}`), alias).to.deep.equal([name])
      else expect(enabled('--profile=cluster', `--controllers=*,-${alias}`), alias).to.not.include(name)
    }
  })

  it('runs what kube-apiserver alone runs, and writes nothing into the working directory', () => {
    expect([...serve('--profile=apiserver').config.controllers.enabled]).to.deep.equal([])
    expect([...serve('--read-only').config.controllers.enabled], 'controllers write').to.deep.equal([])
    expect([...serve('--profile=apiserver', '--controllers=namespace-controller').config.controllers.enabled]).to.deep.equal([
      'namespace-controller',
    ])
    expect([...serve('--profile=apiserver', '--profile=binnacle').config.controllers.enabled]).to.deep.equal([
      ...serve().config.controllers.enabled,
    ])

    const { config } = serve('--profile=apiserver')
    expect(config.files.dataIsTemporary).to.equal(true)
    expect([config.files.certDir, config.files.kubeconfigOut]).to.deep.equal([
      join(config.files.dataDir ?? '', 'pki'),
      join(config.files.dataDir ?? '', 'admin.kubeconfig'),
    ])
    expect(config.files.dataDir?.startsWith(tmpdir())).to.equal(true)
    expect(serve('--profile=apiserver').config.files.dataDir).not.to.equal(config.files.dataDir)

    const kept = serve('--profile=apiserver', '--cert-dir=/c').config
    expect(kept.files).to.deep.equal({
      ephemeral: false,
      dataIsTemporary: false,
      dataDir: '/c',
      certDir: '/c',
      kubeconfigOut: '/c/admin.kubeconfig',
    })
  })

  it('keeps history only in the embedded store', () => {
    expect(serve().config.storage.history).to.equal(undefined)
    expect(serve('--history-max-bytes=1Ki').config.storage.history).to.equal(undefined)
    expect(serve('--history=24h').config.storage.history).to.deep.equal({ keptMs: 86_400_000, maxBytes: 2 ** 30 })
    expect(serve('--history=10m', '--history-max-bytes=64Mi', '--ephemeral').config.storage.history).to.deep.equal({
      keptMs: 600_000,
      maxBytes: 2 ** 26,
    })
    for (const size of ['0', '-1', 'much', '1Mb'])
      expect(() => serve('--history=1h', `--history-max-bytes=${size}`)).to.throw(FlagError, '--history-max-bytes')
    expect(() => serve('--history=-1h')).to.throw(FlagError, '--history can not be negative value')
    expect(() => serve('--history=1h', '--etcd-servers=http://127.0.0.1:2379')).to.throw(
      FlagError,
      '--history and --etcd-servers are mutually exclusive',
    )
  })

  it('keeps nothing on disk with --ephemeral, except in named places', () => {
    const nowhere = { ephemeral: true, dataDir: undefined, dataIsTemporary: false, certDir: undefined, kubeconfigOut: undefined }
    const placesOf = (...flags: string[]) => {
      const { files, listening } = serve(...flags).config
      return { ...files, securePort: listening.securePort }
    }
    expect(placesOf('--ephemeral')).to.deep.equal({ ...nowhere, securePort: 0 })
    expect(placesOf('--ephemeral', '--profile=apiserver')).to.deep.equal({ ...nowhere, securePort: 0 })
    expect(placesOf('--ephemeral', '--secure-port=7443', '--cert-dir=/c', '--kubeconfig-out=/k')).to.deep.equal({
      ...nowhere,
      securePort: 7443,
      certDir: '/c',
      kubeconfigOut: '/k',
    })
    expect(placesOf('--ephemeral=false')).to.include({ ephemeral: false, securePort: 6443, dataDir: 'data' })
    expect(() => serve('--ephemeral', '--data-dir=/d')).to.throw(
      '--ephemeral and --data-dir are mutually exclusive: its store is in memory',
    )
    expect(() => serve('--ephemeral', '--etcd-servers=http://127.0.0.1:2379')).to.throw(
      '--ephemeral and --etcd-servers are mutually exclusive: its store is in memory',
    )
    expect(() => serve('--ephemeral', '--workers=2')).to.throw('--workers=2 requires --etcd-servers')
  })

  it('supports help and version', () => {
    expect(readCommandLine(['--help']).action).to.equal('help')
    expect(readCommandLine(['-h']).action).to.equal('help')
    expect(readCommandLine(['--version']).action).to.equal('version')
    expect(readCommandLine(['--version=raw']).action).to.equal('version')
  })

  it('parses port ranges', () => {
    expect(serve('--service-node-port-range=100-200').config.network.serviceNodePorts).to.deep.equal({ first: 100, last: 200 })
    expect(serve('--service-node-port-range=100+50').config.network.serviceNodePorts).to.deep.equal({ first: 100, last: 150 })
  })

  const wrong: [string[], string][] = [
    [['--frob'], 'unknown flag: --frob'],
    [['--secure-prot=1'], 'unknown flag: --secure-prot; did you mean --secure-port?'],
    [['--secure_prot', '1'], 'unknown flag: --secure-prot; did you mean --secure-port?'],
    [['-x'], "unknown shorthand flag: 'x' in -x"],
    [['-data-dir=x'], "unknown shorthand flag: 'd' in -data-dir=x; did you mean --data-dir?"],
    [['--service-cluster-ip-range=10.0.0.0/99'], '--service-cluster-ip-range: "10.0.0.0/99" is not a CIDR such as 10.0.0.0/24'],
    [['--secure-port'], 'flag needs an argument: --secure-port'],
    [['--secure-port=a'], 'invalid argument "a" for "--secure-port" flag: strconv.ParseInt: parsing "a": invalid syntax'],
    [['--secure-port=70000'], '--secure-port 70000 must be between 0 and 65535, inclusive'],
    [
      ['--anonymous-auth=maybe'],
      'invalid argument "maybe" for "--anonymous-auth" flag: strconv.ParseBool: parsing "maybe": invalid syntax',
    ],
    [['--bind-address=localhost'], 'invalid argument "localhost" for "--bind-address" flag: failed to parse IP: "localhost"'],
    [['--advertise-address=a.b'], 'invalid argument "a.b" for "--advertise-address" flag: failed to parse IP: "a.b"'],
    [['--event-ttl=1'], 'invalid argument "1" for "--event-ttl" flag: time: missing unit in duration "1"'],
    [['serve'], 'unknown command "serve": binnacle --help lists commands and flags'],
    [['expotr', '--data-dir=x'], 'unknown command "expotr"; did you mean export? binnacle --help lists commands and flags'],
    [['help', 'shwo'], 'unknown command "shwo"; did you mean show? binnacle --help lists commands and flags'],
    [['help', 'log'], 'binnacle log --help describes it'],
    [['--profile=apiserver', 'serve'], 'kube-apiserver does not take any arguments, got ["serve"]'],
    [['--authorization-mode=RBAC,ABAC'], "authorization-mode ABAC's authorization policy file not passed"],
    [['--authorization-policy-file=p.jsonl'], 'cannot specify --authorization-policy-file without mode ABAC'],
    [['--service-account-max-token-expiration=10m'], 'the service-account-max-token-expiration must be between 1 hour and 2^32 seconds'],
    [['--service-account-jwks-uri=http://x/'], 'service-account-jwks-uri requires https scheme'],
    [
      ['--service-account-issuer=http://[::1]:namedport'],
      `service-account-issuer "http://[::1]:namedport" contained a ':' but was not a valid URL: parse "http://[::1]:namedport": invalid port ":namedport" after host`,
    ],
    [
      ['--service-account-issuer=http://foo.bar.com', '--service-account-issuer=http://foo.bar.com'],
      'service-account-issuer "http://foo.bar.com" is already specified',
    ],
    [
      ['--service-account-jwks-uri=https://host:port'],
      'service-account-jwks-uri must be a valid URL: parse "https://host:port": invalid port ":port" after host',
    ],
    [
      ['--authentication-token-webhook-config-file=x', '--authentication-token-webhook-version=v2'],
      'unsupported authentication webhook version "v2", supported versions are "v1", "v1beta1"',
    ],
    [['--authorization-mode=Webhook'], "authorization-mode Webhook's authorization config file not passed"],
    [['--authorization-webhook-config-file=x'], 'cannot specify --authorization-webhook-config-file without mode Webhook'],
    [['--authorization-mode=RBAC,RBAC'], 'authorization-mode ["RBAC" "RBAC"] has mode specified more than once'],
    [
      ['--authorization-mode=Webhook', '--authorization-webhook-config-file=x', '--authorization-webhook-version=v2'],
      'unsupported webhook authorizer version "v2", supported versions are "v1", "v1beta1"',
    ],
    ...['--authorization-mode=RBAC', '--authorization-webhook-version=v1', '--authorization-webhook-cache-authorized-ttl=1s'].map(
      (flag): [string[], string] => [
        ['--authorization-config=x', flag],
        '--authorization-config can not be specified when --authorization-mode or --authorization-webhook-* flags are defined',
      ],
    ),
    [
      ['--authorization-config=x', '--emulated-version=1.31', '--feature-gates=StructuredAuthorizationConfiguration=false'],
      '--authorization-config cannot be used without enabling StructuredAuthorizationConfiguration feature flag',
    ],
    [['--authorization-mode=Foo'], 'unsupported authorization mode "Foo"'],
    [
      ['--show-hidden-metrics-for-version=1.31'],
      "--show-hidden-metrics-for-version must be omitted or have the value '1.32'. Only the previous minor version is allowed",
    ],
    [
      ['--allow-metric-labels=metric=a'],
      '--allow-metric-labels must have a list of kv pair with format `metricName,labelName=labelValue, labelValue,...`',
    ],
    [
      ['--allow-metric-labels=metric,label'],
      'invalid argument "metric,label" for "--allow-metric-labels" flag: metric,label must be formatted as key=value',
    ],
    [
      ['--audit-webhook-config-file=a', '--audit-webhook-mode=slow'],
      'invalid audit webhook mode slow, allowed modes are "batch,blocking,blocking-strict"',
    ],
    [
      ['--audit-webhook-config-file=a', '--audit-webhook-batch-throttle-qps=-1'],
      'invalid audit batch webhook throttle QPS -1, must be a positive number',
    ],
    [
      ['--audit-webhook-config-file=a', '--audit-webhook-batch-max-size=0'],
      'invalid audit batch webhook max batch size 0, must be a positive number',
    ],
    [
      ['--audit-webhook-config-file=a', '--audit-webhook-truncate-max-event-size=-1'],
      'invalid audit truncate webhook max event size -1, must be a positive',
    ],
    [
      ['--audit-webhook-config-file=a', '--audit-webhook-truncate-max-event-size=2', '--audit-webhook-truncate-max-batch-size=1'],
      'invalid audit truncate webhook max batch size 1, must be greater than max event size (2)',
    ],
    [
      ['--audit-webhook-config-file=a', '--audit-webhook-version=audit.k8s.io/v1beta1'],
      'invalid group version, allowed versions are ["audit.k8s.io/v1"]',
    ],
    [['--audit-log-path=-', '--audit-log-mode=slow'], 'invalid audit log mode slow, allowed modes are "batch,blocking,blocking-strict"'],
    [['--audit-log-path=-', '--audit-log-format=xml'], 'invalid audit log format xml, allowed formats are "legacy,json"'],
    [['--audit-log-path=-', '--audit-log-version=v1'], 'invalid group version, allowed versions are ["audit.k8s.io/v1"]'],
    [['--audit-log-path=-', '--audit-log-maxage=-1'], "--audit-log-maxage -1 can't be a negative number"],
    [
      ['--audit-log-path=-', '--audit-log-mode=batch', '--audit-log-batch-buffer-size=0'],
      'invalid audit batch log buffer size 0, must be a positive number',
    ],
    [
      ['--audit-log-path=-', '--audit-log-mode=batch', '--audit-log-batch-throttle-enable'],
      'invalid audit batch log throttle QPS 0, must be a positive number',
    ],
    [
      ['--audit-log-path=-', '--audit-log-truncate-max-event-size=0'],
      'invalid audit truncate log max event size 0, must be a positive number',
    ],
    [
      ['--audit-log-path=-', '--audit-log-truncate-max-batch-size=1'],
      'invalid audit truncate log max batch size 1, must be greater than max event size (102400)',
    ],
    [['--audit-log-path=-', '--workers=2', '--etcd-servers=http://127.0.0.1:1'], '--workers=2 and --audit-log-path are mutually exclusive'],
    [
      ['--enable-admission-plugins=PodResizeValidator', '--emulated-version=1.35'],
      'enable-admission-plugins plugin "PodResizeValidator" is unknown',
    ],
    [['--enable-admission-plugins=Foo'], 'enable-admission-plugins plugin "Foo" is unknown'],
    [['--disable-admission-plugins=Foo'], 'disable-admission-plugins plugin "Foo" is unknown'],
    [
      ['--enable-admission-plugins=Priority', '--disable-admission-plugins=Priority'],
      '[Priority] in enable-admission-plugins and disable-admission-plugins overlapped',
    ],
    [['--admission-control=Foo'], 'admission-control plugin "Foo" is unknown'],
    [
      ['--admission-control=', '--disable-admission-plugins=Priority'],
      'admission-control and enable-admission-plugins/disable-admission-plugins flags are mutually',
    ],
    [['--profile=kubelet'], '--profile=kubelet is not a profile; it may be binnacle, cluster or apiserver'],
    [
      ['--encryption-provider-config-automatic-reload'],
      '--encryption-provider-config-automatic-reload must be set with --encryption-provider-config',
    ],
    [
      ['--storage-backend=etcd2'],
      '--storage-backend=etcd2 is not implemented, and ignoring it would change what the server does; it may be "" or "etcd3"',
    ],
    [['--feature-gates=OpenAPIEnums=false'], '--feature-gates: OpenAPIEnums=false is not implemented'],
    [['--feature-gates=WatchList'], 'must be formatted as key=value'],
    [
      ['--feature-gates=WatchList=maybe'],
      '--feature-gates: invalid value of WatchList=maybe, err: strconv.ParseBool: parsing "maybe": invalid syntax',
    ],
    [['--feature-gates=Nonsense=true'], '--feature-gates: unrecognized feature gate: Nonsense'],
    [['--runtime-config=x.io/v1=true'], '--runtime-config: unknown api groups x.io'],
    [['--runtime-config=api/all=false'], '--runtime-config: invalid key with only api/all=false'],
    [['--emulated-version=1.23'], `--emulated-version=1.23 is not implemented; it may be 1.24 to ${NEWEST_RELEASE}`],
    [
      [`--emulated-version=${NEWEST_RELEASE}`, '--emulation-forward-compatible=true'],
      `--emulation-forward-compatible cannot be set to true: no release after ${NEWEST_RELEASE} is known`,
    ],
    [['--tls-cert-file=x'], '--tls-cert-file and --tls-private-key-file must be set together'],
    ...['http://a', 'localhost', 'ftp://a:1', 'unix://', 'http://a:b', 'http://a:1/path'].map((text): [string[], string] => [
      [`--etcd-servers=${text}`],
      `--etcd-servers: "${text}" is not an address such as http://127.0.0.1:2379, 127.0.0.1:2379 or unix:///run/etcd.sock`,
    ]),
    [['--etcd-servers=http://a:1,https://b:2'], '--etcd-servers: http://a:1, https://b:2: either all servers or none must use TLS'],
    [
      ['--tracing-config-file=t.yaml', '--emulated-version=1.26'],
      'APIServerTracing feature is not enabled, but tracing config file was provided',
    ],
    [['--tls-min-version=VersionTLS14'], 'unknown tls version "VersionTLS14"'],
    [['--tls-cipher-suites=TLS_FOO'], "Cipher suite TLS_FOO not supported or doesn't exist"],
    [
      ['--tls-cipher-suites=TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384'],
      'error configuring http2: http2: TLSConfig.CipherSuites is missing an HTTP/2-required AES_128_GCM_SHA256 cipher',
    ],
    [['--tls-curve-preferences=0'], 'curve preference 0 is out of range (must be 1-65535)'],
    [['--tls-curve-preferences=23,23'], 'duplicate curve preference 23'],
    [['--tls-curve-preferences=22'], 'curve preference 22 is not supported by the current Go version'],
    [['--tls-curve-preferences=4588'], '--tls-curve-preferences=4588 is not implemented'],
    [
      ['--tls-sni-cert-key=foo.crt'],
      'invalid argument "foo.crt" for "--tls-sni-cert-key" flag: expected comma separated certificate and key file paths',
    ],
    [
      ['--tls-sni-cert-key=foo.crt,foo.key:'],
      'invalid argument "foo.crt,foo.key:" for "--tls-sni-cert-key" flag: empty names list is not allowed',
    ],
    [['--goaway-chance=0.03'], '--goaway-chance can not be less than 0 or greater than 0.02'],
    [
      ['--profile=cluster', '--load-balancer-ip-range=192.0.2.0'],
      '--load-balancer-ip-range: "192.0.2.0" is not a CIDR such as 10.0.0.0/24',
    ],
    [
      ['--controllers=cloud-node-lifecycle-controller'],
      '--controllers: "cloud-node-lifecycle-controller" is not built into this program; run it as another program',
    ],
    [['--read-only', '--controllers=*'], '--read-only and --controllers are mutually exclusive: controllers write'],
    [['--goaway-chance=-1'], '--goaway-chance can not be less than 0 or greater than 0.02'],
    [
      ['--strict-transport-security-directives=max-age=1=2'],
      '--strict-transport-security-directives invalid, allowed values: max-age=expireTime',
    ],
    [['--strict-transport-security-directives=preload, '], 'empty value in strict-transport-security-directives'],
    [
      ['--cors-allowed-origins=^(.*$'],
      '--cors-allowed-origins has an invalid regular expression: error parsing regexp: missing closing ): `^(.*$`, help: List of',
    ],
    [
      ['--cors-allowed-origins=example.com'],
      '--cors-allowed-origins has an invalid regular expression: regular expression does not pin to start/end of host in the origin header, help: List of allowed origins',
    ],
    [['--http2=none'], '--http2=none is not an HTTP/2 implementation; it must be own or builtin'],
    [['--workers=0'], '--workers 0 must be at least 1, inclusive'],
    [['--etcd-servers-overrides=/events#http://a:1'], '--etcd-servers-overrides requires --etcd-servers, for all other resources'],
    ...['/events', 'events#http://b:2', '/events#http://b:2#http://c:3', 'a/b/c#http://b:2', '/#http://b:2', '/events#'].map(
      (text): [string[], string] => [
        ['--etcd-servers=http://a:1', `--etcd-servers-overrides=${text}`],
        `--etcd-servers-overrides: "${text}" is invalid, must be of format: group/resource#servers, where servers are URLs, semicolon separated`,
      ],
    ),
    [
      ['--etcd-servers=http://a:1', '--etcd-servers-overrides=/events#b'],
      '--etcd-servers-overrides: "b" is not an address such as http://127.0.0.1:2379',
    ],
    [
      ['--etcd-servers=http://a:1', '--etcd-servers-overrides=/events#http://b:2', '--moments=2'],
      '--moments and --etcd-servers-overrides are mutually exclusive: a moment is a revision of one store',
    ],
    [['--workers=2'], '--workers=2 requires --etcd-servers: the embedded store supports one process'],
    [
      ['--branches=2', '--etcd-servers=http://127.0.0.1:2379'],
      '--branches=2 requires the embedded store: etcd cannot keep the revision of a branch, so --etcd-servers must not be set',
    ],
    [['--watch-cache-sizes=events'], 'invalid value of watch cache size: events'],
    [['--watch-cache-sizes=events#x'], 'invalid size of watch cache size: events#x'],
    [['--watch-cache-sizes=events#-1'], 'watch cache size cannot be negative: events#-1'],
    [['--etcd-prefix=/'], '--etcd-prefix must not be empty'],
    [['--service-node-port-range=9-1'], '"9-1" is not a range of ports'],
    [['--service-cluster-ip-range=10.0.0.0'], '"10.0.0.0" is not a CIDR'],
    [
      ['--authorization-rules-file=x', '--authorization-mode=AlwaysAllow'],
      '--authorization-rules-file requires --authorization-mode=Rules',
    ],
  ]
  it('accepts servers for single resources', () => {
    const overrides =
      '--etcd-servers-overrides=/events#http://b:2/;http://c:3,apps/deployments#https://d:4,apps/daemonsets#unix:///run/e.sock;e:5'
    const { config } = serve('--etcd-servers=http://a:1', overrides)
    expect(config.storage.etcd?.overrides).to.deep.equal([
      { resource: 'events', servers: ['http://b:2', 'http://c:3'] },
      { resource: 'deployments.apps', servers: ['https://d:4'] },
      { resource: 'daemonsets.apps', servers: ['unix:///run/e.sock', 'e:5'] },
    ])
  })

  it('uses the given store timeouts, or 2 s by default', () => {
    const flags = [
      '--etcd-healthcheck-timeout=5s',
      '--etcd-readycheck-timeout=0',
      '--etcd-db-metric-poll-interval=0',
      '--lease-reuse-duration-seconds=7',
    ]
    const { config } = serve('--etcd-servers=http://a:1', ...flags)
    expect(config.storage.probes).to.deep.equal({ healthMs: 5000, readyMs: 2000, sizeEveryMs: 0 })
    expect(config.storage.etcd?.leaseReuseSeconds).to.equal(7)
  })

  it('accepts several workers on etcd', () => {
    expect(serve('--workers=3', '--etcd-servers=http://127.0.0.1:4001').config.process.workers).to.equal(3)
  })
  for (const [argv, message] of wrong) it(`refuses ${argv.join(' ')}`, () => expect(() => serve(...argv)).to.throw(FlagError, message))

  it('disables watch caches of resources', () => {
    const { config } = serve('--watch-cache-sizes=events#0,deployments.apps#100', '--watch-cache-sizes=pods#0')
    const { isEnabled, without, droppedSizes } = config.storage.watchCache
    expect([isEnabled, [...without], droppedSizes]).to.deep.equal([true, ['events', 'pods'], ['deployments.apps']])
    expect(serve('--watch-cache=false').config.storage.watchCache.isEnabled).to.equal(false)
  })

  const harmless = [
    '--watch-cache=true',
    '--watch-cache=false',
    '--watch-cache-sizes=events#0,deployments.apps#100',
    '--storage-backend=etcd3',
    '--enable-priority-and-fairness=false',
    '--feature-gates=WatchList=true',
    '--runtime-config=apps/v1=true',
    '--runtime-config=apps/v1,networking.k8s.io/v1beta1',
    '--emulated-version=kube=1.33',
    '--emulated-version=1.32',
    '--min-compatibility-version=1.31',
  ]
  for (const argument of harmless) it(`accepts ${argument}`, () => expect(serve(argument).config).to.be.an('object'))
})

describe('--moments', () => {
  it('defaults to 4 with --history', () => {
    expect(serve().config.storage.mounts.moments).to.equal(0)
    expect(serve('--history=24h').config.storage.mounts.moments).to.equal(4)
    expect(serve('--history=24h', '--moments=0').config.storage.mounts.moments).to.equal(0)
    expect(serve('--moments=2').config.storage.mounts.moments).to.equal(2)
  })
})

describe('--console-port', () => {
  const cases: readonly (readonly [args: readonly string[], port: number | undefined])[] = [
    [[], undefined],
    [['--console'], 6444],
    [['--console', '--secure-port=7000'], 7001],
    [['--console', '--secure-port=65535'], 0],
    [['--console', '--secure-port=0'], 0],
    [['--console', '--ephemeral'], 0],
    [['--console', '--console-port=0'], 0],
    [['--console', '--console-port=9000'], 9000],
  ]
  for (const [args, port] of cases)
    it(`is ${port} with ${args.join(' ') || 'no flag'}`, () => expect(serve(...args).config.listening.consolePort).to.equal(port))
  for (const [args, message] of [
    [['--console-port=9000'], '--console-port=9000 requires --console'],
    [
      ['--console', '--console-port=6443'],
      "--console-port=6443 must differ from --secure-port: pages of proxied pods and services would share the console's origin",
    ],
    [['--console', '--console-port=70000'], '--console-port 70000 must be between 0 and 65535, inclusive'],
  ] as const)
    it(`is rejected with ${args.join(' ')}`, () => expect(() => serve(...args)).to.throw(FlagError, message))
})
