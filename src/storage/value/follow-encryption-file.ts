import { readConfigFile } from '../../lib/bounded-input.ts'
import type { Logger } from '../../lib/log.ts'
import { pollFiles } from '../../lib/poll-files.ts'
import type { EncryptionConfig } from './encryption-config.ts'
import { parseEncryptionFile } from './encryption-file.ts'

/** The file to follow, and how its changes are applied. */
export interface FollowOptions {
  readonly file: string
  /** Hash of the configuration in force. */
  readonly hash: string
  /** Interval between reads of the file. */
  readonly intervalMs: number
  readonly logger: Logger
  /** Applies a configuration. Rejects if that is not possible. */
  apply(config: EncryptionConfig): Promise<void>
}

/**
 * Applies the file whenever it has changed, until the signal aborts. An invalid file changes nothing and is read again
 * at the next interval.
 */
export function followEncryptionFile({ file, hash, intervalMs, logger, apply }: FollowOptions, signal: AbortSignal): Promise<void> {
  return pollFiles(
    {
      read: async () => parseEncryptionFile(await readConfigFile(file), file),
      identityOf: config => config.hash,
      inForce: hash,
      intervalMs,
      changed: async config => {
        await apply(config)
        logger.info('the encryption configuration has changed', { file })
      },
      failed: error => logger.error('the encryption configuration can not be reloaded', { file, error }),
    },
    signal,
  )
}
