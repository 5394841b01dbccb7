import { readFile } from 'node:fs/promises'
import type { Logger } from '../../lib/log.ts'
import { pollFiles } from '../../lib/poll-files.ts'
import type { EncryptionConfig } from './encryption-config.ts'
import { parseEncryptionFile } from './encryption-file.ts'

export interface FollowOptions {
  readonly file: string
  /** Of what is in force. */
  readonly hash: string
  /** Between two looks at the file. */
  readonly intervalMs: number
  readonly logger: Logger
  /** Puts a configuration in force. Rejects where that is not possible. */
  apply(config: EncryptionConfig): Promise<void>
}

/** Takes up what the file says whenever it has changed, until the signal aborts. A file that can't be used changes nothing, and is looked at again. */
export function followEncryptionFile({ file, hash, intervalMs, logger, apply }: FollowOptions, signal: AbortSignal): Promise<void> {
  return pollFiles(
    {
      read: async () => parseEncryptionFile(await readFile(file), file),
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
