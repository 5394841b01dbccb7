/**
 * Writes structured log lines. `level` is klog's verbosity: a line is written if it is at or below the configured `-v`.
 */
export interface Logger {
  /** Writes a line at any verbosity. */
  info(message: string, fields?: Record<string, unknown>): void
  warn(message: string, fields?: Record<string, unknown>): void
  error(message: string, fields?: Record<string, unknown>): void
  /** Writes a line if the verbosity is at least `level`. */
  debug(level: number, message: string, fields?: Record<string, unknown>): void
}

const pass = () => {}
/** A logger that drops all lines. */
export const silentLogger: Logger = { info: pass, warn: pass, error: pass, debug: pass }
