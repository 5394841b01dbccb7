import { readFile } from 'node:fs/promises'
import type { Config } from '../config/config.ts'
import type { Logger } from '../lib/log.ts'
import type { MetricFamily } from '../lib/metrics.ts'
import { Encryption } from '../storage/value/encryption.ts'
import { EncryptionConfigError, parseEncryptionFile } from '../storage/value/encryption-file.ts'
import { followEncryptionFile } from '../storage/value/follow-encryption-file.ts'
import { transformMetrics } from '../storage/value/transform-metrics.ts'
import type { ReadinessCheck, Service } from './service.ts'

/** As often as kube-apiserver looks. */
const RELOAD_MS = 60_000

/** Encryption at rest as the configuration has it. kube-apiserver has a check for key management services whenever the file is followed, whether there are such services or not. */
export interface EncryptionService extends Service {
  readonly metrics: readonly MetricFamily[]
  readonly checks: readonly ReadinessCheck[]
  readonly encryption: Encryption
  /** Stops looking at the file. */
  close(): Promise<void>
}

/** Reads the file that the configuration names, and follows it where that is asked for. Throws EncryptionConfigError. */
export async function openEncryption({ encryption: wanted }: Config, logger: Logger): Promise<EncryptionService> {
  const { families, observer } = transformMetrics()
  const encryption = new Encryption(observer)
  const stopped = new AbortController()
  let following: Promise<void> = Promise.resolve()
  if (wanted !== undefined) {
    const { file, automaticReload } = wanted
    const config = parseEncryptionFile(await readFile(file).catch(error => Promise.reject(cannotRead(file, error))), file)
    encryption.configure(config)
    if (automaticReload) following = followEncryptionFile(encryption, { file, hash: config.hash, intervalMs: RELOAD_MS, logger }, stopped.signal)
  }
  return {
    encryption,
    metrics: families,
    checks: wanted?.automaticReload ? [{ name: 'kms-providers', check: () => {} }] : [],
    async close() {
      stopped.abort()
      await following
    },
  }
}

const cannotRead = (file: string, error: Error) =>
  new EncryptionConfigError(
    `error while parsing file: error while loading file: error reading encryption provider configuration file ${JSON.stringify(file)}: ${error.message}`,
  )
