import { constants } from 'node:fs'
import { access, type FileHandle, open, rename } from 'node:fs/promises'
import { dirname } from 'node:path'
import { errorCode } from '../../lib/error-code.ts'
import { errorMessage } from '../../lib/error-message.ts'
import type { Logger } from '../../lib/log.ts'
import { makePrivateDirectory } from '../../lib/private-file.ts'
import { backupPath, type Retention, tidyBackups } from './backups.ts'
import type { LogOutput } from './output.ts'

export interface RotationOptions extends Retention {
  readonly file: string
  /** Bytes beyond which a log is put away and another begun. */
  readonly maxBytes: number
  readonly now: () => number
  readonly log: Logger
}

const MODE = 0o600
/** What another user may have put in the place of the log is not followed. */
const FLAGS = constants.O_CREAT | constants.O_APPEND | constants.O_WRONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK

/**
 * A log that is put away under another name when it has grown, as lumberjack does it (gopkg.in/natefinch/lumberjack.v2), with which kube-apiserver writes this log. Of mode 0600, unless it is there
 * already: a new one has the mode of the one before.
 */
export class RotatingFile implements LogOutput {
  private readonly options: RotationOptions
  private handle: FileHandle | undefined
  private size = 0
  private mode = MODE
  private tidying: Promise<void> | undefined
  /** A log has been put away since old ones were looked through. */
  private untidy = false

  private constructor(options: RotationOptions) {
    this.options = options
  }

  /** Makes the file where there is none, and its directory. Rejects where it can't be written to. */
  static async open(options: RotationOptions): Promise<RotatingFile> {
    const file = new RotatingFile(options)
    makePrivateDirectory(dirname(options.file))
    await file.openExisting()
    return file
  }

  async prepare(length: number): Promise<void> {
    const { maxBytes } = this.options
    if (length > maxBytes) throw new Error(`write length ${length} exceeds maximum file size ${maxBytes}`)
    if (this.handle === undefined) await this.openExisting()
    if (this.size > 0 && this.size + length > maxBytes) await this.rotate()
  }

  async write(bytes: Buffer): Promise<void> {
    for (let at = 0; at < bytes.length; ) {
      if (this.handle === undefined) throw new Error('the log is not open')
      const { bytesWritten } = await this.handle.write(bytes, at)
      at += bytesWritten
      this.size += bytesWritten
    }
  }

  async close(): Promise<void> {
    await this.tidying
    await this.closeHandle()
  }

  private async closeHandle(): Promise<void> {
    const { handle } = this
    this.handle = undefined
    await handle?.close()
  }

  private async openExisting(): Promise<void> {
    await this.opened(await open(this.options.file, FLAGS, this.mode))
    this.tidy()
  }

  private async opened(handle: FileHandle): Promise<void> {
    const stat = await handle.stat()
    if (!stat.isFile()) {
      await handle.close()
      throw new Error(`${this.options.file} is not a regular file`)
    }
    this.handle = handle
    this.size = stat.size
    this.mode = stat.mode & 0o777
  }

  private async rotate(): Promise<void> {
    const { file } = this.options
    await this.closeHandle()
    await rename(file, await this.freeBackup())
    await this.opened(await open(file, FLAGS, this.mode))
    this.tidy()
  }

  /** No two have the same name: times are in milliseconds. */
  private async freeBackup(): Promise<string> {
    for (let time = this.options.now(); ; time++) {
      const path = backupPath(this.options.file, time)
      if (!(await exists(path)) && !(await exists(`${path}.gz`))) return path
    }
  }

  /** In the background, one after the other. */
  private tidy(): void {
    this.untidy = true
    this.tidying ??= this.tidyAll()
  }

  private async tidyAll(): Promise<void> {
    const { file, now, log } = this.options
    while (this.untidy) {
      this.untidy = false
      await tidyBackups(file, this.options, now()).catch((error: unknown) =>
        log.warn('old audit logs could not be tidied', { file, error: errorMessage(error) }),
      )
    }
    // In the same moment: a log that is put away next must find nobody who sees to it.
    this.tidying = undefined
  }
}

async function exists(path: string): Promise<boolean> {
  try {
    await access(path)
    return true
  } catch (error) {
    return errorCode(error) !== 'ENOENT'
  }
}
