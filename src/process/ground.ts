import { CertificateMetrics } from '../clients/certificate-metrics.ts'
import type { Config } from '../config/config.ts'
import { type AuditService, openAudit } from '../control-plane/audit-service.ts'
import { type EncryptionService, openEncryption } from '../control-plane/encryption-service.ts'
import { readConfigFile } from '../lib/bounded-input.ts'
import { systemClock } from '../lib/clock.ts'
import type { Egress } from '../lib/connect-proxy.ts'
import type { Tracing } from '../server/tracing/tracing.ts'
import { type OpenedStores, openBackends } from './open-stores.ts'
import type { ServerParts } from './server-parts.ts'
import { openEgress } from './shared-store.ts'

/** Parts under the services of a server. */
export interface Ground {
  readonly tracing: Tracing | undefined
  readonly encryption: EncryptionService
  /** Observes certificates of webhooks. */
  readonly certificates: CertificateMetrics
  readonly egress: Egress
  readonly audit: AuditService
  readonly stores: OpenedStores
}

/** Opens the store, and connections and logs that are configured by files. */
export async function openGround({ config, log, given }: ServerParts): Promise<Ground> {
  const tracing = await tracingOf(config)
  const encryption = await openEncryption(config.storage, log, tracing)
  const certificates = new CertificateMetrics('webhooks')
  const egress = await openEgress(config)
  const audit = await openAudit(config.observability.audit, systemClock, log, {
    observer: given?.observer,
    certificates,
    dial: egress.controlplane,
  })
  const stores = await openBackends(config, encryption.encryption, log, { given: given?.backend, spans: tracing, proxy: egress.etcd })
  return { tracing, encryption, certificates, egress, audit, stores }
}

/**
 * Opens tracing if the configuration has a file for it. Its modules are only loaded then. Throws a TracingConfigError.
 */
async function tracingOf({ serving: { tracingFile: file } }: Config): Promise<Tracing | undefined> {
  if (file === undefined) return undefined
  const [{ parseTracingFile }, { openTracing }] = await Promise.all([
    import('../server/tracing/tracing-file.ts'),
    import('../server/tracing/open-tracing.ts'),
  ])
  return openTracing(parseTracingFile(await readConfigFile(file)))
}
