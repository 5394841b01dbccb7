import { constants } from 'node:fs'
import { access, type FileHandle, open, rename } from 'node:fs/promises'
import { dirname } from 'node:path'
import { errorCode } from '../../lib/error-code.ts'
import { errorMessage } from '../../lib/error-message.ts'
import type { Logger } from '../../lib/log.ts'
import { makePrivateDirectory } from '../../lib/private-file.ts'
import { backupPath, type Retention, tidyBackups } from './backups.ts'
import type { LogOutput } from './output.ts'

/** `now`: milliseconds since the epoch, which become part of the names of backups. */
export interface RotationOptions extends Retention {
  /** Path of the log. Backups are in the same directory. */
  readonly file: string
  /** Bytes beyond which the log is rotated. */
  readonly maxBytes: number
  readonly now: () => number
  readonly log: Logger
}

/** Only the user of the server may read the log, which can contain secrets. */
const MODE = 0o600
/** Symbolic links are not followed: another user may have placed one. */
const FLAGS = constants.O_CREAT | constants.O_APPEND | constants.O_WRONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK

/**
 * A log file that is rotated by size, like kube-apiserver's with lumberjack (gopkg.in/natefinch/lumberjack.v2). A new
 * file has mode 0600, or the mode of the file that it replaces.
 */
export class RotatingFile implements LogOutput {
  readonly #options: RotationOptions
  #handle: FileHandle | undefined
  #size = 0
  #mode = MODE
  #tidying: Promise<void> | undefined
  /** Whether the log was rotated since the last removal of old backups. */
  #untidy = false

  private constructor(options: RotationOptions) {
    this.#options = options
  }

  /** Creates the file and its directory if they do not exist. Rejects if the file cannot be written. */
  static async open(options: RotationOptions): Promise<RotatingFile> {
    const file = new RotatingFile(options)
    makePrivateDirectory(dirname(options.file))
    await file.#openExisting()
    return file
  }

  /**
   * Opens the log if it was closed by a failure, and rotates it if the bytes do not fit. Rejects if they exceed the
   * size of an empty log.
   */
  async prepare(length: number): Promise<void> {
    const { maxBytes } = this.#options
    if (length > maxBytes) throw new Error(`write length ${length} exceeds maximum file size ${maxBytes}`)
    if (this.#handle === undefined) await this.#openExisting()
    if (this.#size > 0 && this.#size + length > maxBytes) await this.#rotate()
  }

  /** Appends the bytes, in several calls of the system if needed. `prepare` must have made room. */
  async write(bytes: Buffer): Promise<void> {
    for (let at = 0; at < bytes.length; ) {
      if (this.#handle === undefined) throw new Error('the log is not open')
      const { bytesWritten } = await this.#handle.write(bytes, at)
      at += bytesWritten
      this.#size += bytesWritten
    }
  }

  /** Waits for the removal of old backups. */
  async close(): Promise<void> {
    await this.#tidying
    await this.#closeHandle()
  }

  async #closeHandle(): Promise<void> {
    const handle = this.#handle
    this.#handle = undefined
    await handle?.close()
  }

  /** Opens or creates the log, and removes old backups: the limits may differ from those of the last run. */
  async #openExisting(): Promise<void> {
    await this.#opened(await open(this.#options.file, FLAGS, this.#mode))
    this.#tidy()
  }

  /** Throws if the path is a device or a pipe, which cannot be rotated. */
  async #opened(handle: FileHandle): Promise<void> {
    const stat = await handle.stat()
    if (!stat.isFile()) {
      await handle.close()
      throw new Error(`${this.#options.file} is not a regular file`)
    }
    this.#handle = handle
    this.#size = stat.size
    this.#mode = stat.mode & 0o777
  }

  /** Moves the log to a backup and creates a new one. */
  async #rotate(): Promise<void> {
    const { file } = this.#options
    await this.#closeHandle()
    await rename(file, await this.#freeBackup())
    await this.#opened(await open(file, FLAGS, this.#mode))
    this.#tidy()
  }

  /** Returns an unused path. Names have millisecond resolution. */
  async #freeBackup(): Promise<string> {
    for (let time = this.#options.now(); ; time++) {
      const path = backupPath(this.#options.file, time)
      if (!(await fileExists(path)) && !(await fileExists(`${path}.gz`))) return path
    }
  }

  /** Removes old backups in the background, one run at a time. */
  #tidy(): void {
    this.#untidy = true
    this.#tidying ??= this.#tidyAll()
  }

  async #tidyAll(): Promise<void> {
    const { file, now, log } = this.#options
    while (this.#untidy) {
      this.#untidy = false
      await tidyBackups(file, this.#options, now()).catch((error: unknown) =>
        log.warn('cannot remove or compress old audit logs', { file, error: errorMessage(error) }),
      )
    }
    // Reset in the same tick as the check above: the next rotation starts a new run.
    this.#tidying = undefined
  }
}

/** A file that cannot be examined counts as existing, so that it is not replaced. */
async function fileExists(path: string): Promise<boolean> {
  try {
    await access(path)
    return true
  } catch (error) {
    return errorCode(error) !== 'ENOENT'
  }
}
