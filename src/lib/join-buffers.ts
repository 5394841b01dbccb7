import type { Steps } from './steps.ts'

/** Joins buffers. A single one is returned without copying it. */
export function joinBuffers(parts: readonly Buffer[]): Buffer {
  const [only] = parts
  return only !== undefined && parts.length === 1 ? only : Buffer.concat(parts)
}

/** Like `joinBuffers`, in steps, because copying many megabytes takes milliseconds. */
export function* joinInSteps(parts: readonly Buffer[]): Steps<Buffer> {
  const [only] = parts
  if (only !== undefined && parts.length === 1) return only
  const whole = Buffer.allocUnsafeSlow(parts.reduce((sum, part) => sum + part.length, 0))
  let at = 0
  let copied = 0
  for (const part of parts) {
    at += part.copy(whole, at)
    // Copying a few bytes costs as much as copying some hundred.
    copied += part.length + 256
    if (copied < STEP_BYTES) continue
    copied = 0
    yield
  }
  return whole
}

const STEP_BYTES = 256 * 1024
