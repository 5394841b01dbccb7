import { readFile } from 'node:fs/promises'
import { errorMessage } from '../../lib/error-message.ts'
import type { Logger } from '../../lib/log.ts'
import { delay } from '../delay.ts'
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
export async function followEncryptionFile({ file, hash, intervalMs, logger, apply }: FollowOptions, signal: AbortSignal): Promise<void> {
  let inForce = hash
  while (await passed(intervalMs, signal)) {
    try {
      const config = parseEncryptionFile(await readFile(file), file)
      if (config.hash === inForce) continue
      await apply(config)
      inForce = config.hash
      logger.info('the encryption configuration has changed', { file })
    } catch (error) {
      logger.error('the encryption configuration can not be reloaded', { file, error: errorMessage(error) })
    }
  }
}

const passed = (ms: number, signal: AbortSignal): Promise<boolean> =>
  delay(ms, signal).then(
    () => true,
    () => false,
  )
