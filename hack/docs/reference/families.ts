import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { SignerMetrics } from '../../../src/auth/authn/service-account/external/metrics.ts'
import { readCommandLine } from '../../../src/config/command-line.ts'
import type { MetricFamily } from '../../../src/lib/metrics.ts'
import { createLogger } from '../../../src/lib/structured-log.ts'
import { openServer } from '../../../src/process/open-server.ts'
import { runtimeOf } from '../../../src/process/runtime-of.ts'
import { exposedFamilies } from '../../../src/server/metrics/metric-exposure.ts'
import { KmsMetrics } from '../../../src/storage/value/kms/metrics.ts'

const kubeconfig = JSON.stringify({
  apiVersion: 'v1',
  kind: 'Config',
  'current-context': 'it',
  contexts: [{ name: 'it', context: { cluster: 'it', user: 'it' } }],
  clusters: [{ name: 'it', cluster: { server: 'https://127.0.0.1:1' } }],
  users: [{ name: 'it', user: {} }],
})
const configuration = (kind: string, version: string, rest: object, group = 'apiserver.config.k8s.io'): string =>
  JSON.stringify({ kind, apiVersion: `${group}/${version}`, ...rest })

/**
 * Contents of the files that flags name. The flags enable metrics of their own. The servers that the files refer to do
 * not have to exist.
 */
const FILES: Readonly<Record<string, string>> = {
  'audit-policy-file': configuration('Policy', 'v1', { rules: [{ level: 'Metadata' }] }, 'audit.k8s.io'),
  'audit-webhook-config-file': kubeconfig,
  'authentication-config': configuration('AuthenticationConfiguration', 'v1beta1', {
    jwt: [
      {
        issuer: { url: 'https://127.0.0.1:1', audiences: ['it'] },
        claimMappings: { username: { claim: 'sub', prefix: '' }, groups: { claim: 'groups', prefix: '' } },
      },
    ],
  }),
  'authentication-token-webhook-config-file': kubeconfig,
  'authorization-config': configuration('AuthorizationConfiguration', 'v1', {
    authorizers: [
      { type: 'Node', name: 'node' },
      { type: 'RBAC', name: 'rbac' },
      {
        type: 'Webhook',
        name: 'webhook',
        webhook: {
          timeout: '1s',
          failurePolicy: 'NoOpinion',
          subjectAccessReviewVersion: 'v1',
          matchConditionSubjectAccessReviewVersion: 'v1',
          authorizedTTL: '1s',
          unauthorizedTTL: '1s',
          connectionInfo: { type: 'KubeConfigFile', kubeConfigFile: 'KUBECONFIG' },
          matchConditions: [{ expression: 'false' }],
        },
      },
    ],
  }),
  'encryption-provider-config': configuration('EncryptionConfiguration', 'v1', {
    resources: [
      { resources: ['secrets'], providers: [{ secretbox: { keys: [{ name: 'it', secret: Buffer.alloc(32).toString('base64') }] } }] },
    ],
  }),
  'egress-selector-config-file': configuration(
    'EgressSelectorConfiguration',
    'v1beta1',
    {
      egressSelections: [
        { name: 'controlplane', connection: { proxyProtocol: 'HTTPConnect', transport: { uds: { udsName: '/nowhere' } } } },
        { name: 'cluster', connection: { proxyProtocol: 'HTTPConnect', transport: { uds: { udsName: '/nowhere' } } } },
      ],
    },
    'apiserver.k8s.io',
  ),
}
const FLAGS = ['--ephemeral', '--enable-faults', '--bind-address=127.0.0.1', '--emulated-version=1.36']

/**
 * Every family that a server registers, each once: those of one that is started with all that counts for itself, and of
 * parts whose other ends cannot be named in a file.
 */
export async function registeredFamilies(): Promise<MetricFamily[]> {
  const directory = mkdtempSync(join(tmpdir(), 'binnacle-docs-'))
  try {
    const flags = Object.entries(FILES).map(([flag, text]) => {
      const file = join(directory, flag)
      writeFileSync(file, text.replaceAll('KUBECONFIG', join(directory, 'audit-webhook-config-file')), { mode: 0o600 })
      return `--${flag}=${file}`
    })
    const families = [
      ...(await familiesOf([...FLAGS, `--audit-log-path=${join(directory, 'audit.log')}`, ...flags])),
      ...new KmsMetrics().families,
      ...new SignerMetrics().families,
    ]
    return [...new Map(families.map(family => [family.name, family])).values()].sort((a, b) => (a.name < b.name ? -1 : 1))
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}

async function familiesOf(argv: readonly string[]): Promise<readonly MetricFamily[]> {
  const command = readCommandLine(argv)
  if (command.action !== 'serve') throw new Error(`${argv.join(' ')} does not serve`)
  const { config } = command
  const log = createLogger({ verbosity: 0, format: config.observability.loggingFormat, write: () => {}, now: Date.now })
  const server = await openServer({ config, log, link: undefined, runtime: runtimeOf(config) }, new AbortController().signal)
  await server?.stop()
  return exposedFamilies(server?.families ?? [], { ...config.observability.metrics, showHidden: true })
}
