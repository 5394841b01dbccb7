import type { WhyStep } from '../../meta/why.ts'
import type { Why } from '../../why/types.ts'
import { actionText } from './action-text.ts'
import { admissionLines } from './admission-text.ts'
import { denialLines } from './denial-text.ts'
import { duration } from './duration.ts'
import { stepLines } from './step-text.ts'

/**
 * Prints the record of a request: the request and its response, then a paragraph for each part of the server that was
 * involved.
 */
export function whyText(why: Why): string {
  const paragraphs: [string, readonly string[]][] = [
    ['', headLines(why)],
    ['Who', stepsText(why, ['not authenticated', 'authenticated', 'impersonated'])],
    ['Rights', [...stepsText(why, ['authorized']), ...denialLines(why)]],
    ['Turn', stepsText(why, ['priority level', 'fault'])],
    ['Read', readLines(why)],
    ['Body', stepsText(why, ['dropped', 'defaults', 'apply conflicts', 'rules of the kind'])],
    ['Admission', admissionLines(why)],
    ['Conversion', stepsText(why, ['conversion'])],
    ['Write', writeLines(why)],
    ['Warnings', stepsText(why, ['warning'])],
    ['Audit', stepsText(why, ['audit annotation'])],
    ['Response', responseLines(why)],
  ]
  const shown = paragraphs.filter(([, lines]) => lines.length > 0)
  const omitted = why.omittedSteps > 0 ? [`${why.omittedSteps} more steps are not recorded.`] : []
  return [...shown.flatMap(([title, lines]) => (title === '' ? lines : ['', title, ...lines.map(indented)])), ...omitted]
    .map(line => `${line}\n`)
    .join('')
}

/** Indents the lines of a text. */
const indented = (text: string): string => text.replace(/^(?=.)/gm, '  ')

function headLines(why: Why): string[] {
  const { user, status, reason, milliseconds, method, uri, auditID, time } = why
  const who = user === '' ? 'An unknown user' : user
  const response = status === undefined ? 'no response' : `response ${status}${reason === undefined ? '' : ` ${reason}`}`
  const took = milliseconds === undefined ? ', in progress' : ` after ${duration(milliseconds)}`
  return [`${who} requested to ${actionText(why)}: ${response}${took}.`, `${method} ${uri}   ${time}   audit id ${auditID}`]
}

function stepsText({ steps }: Why, kinds: readonly WhyStep['step'][]): string[] {
  return kinds.flatMap(kind => steps.filter(({ step }) => step === kind).flatMap(stepLines))
}

/** Returns lines about a read. It was served from the store if the store was called for objects of the resource. */
function readLines(why: Why): string[] {
  const read = why.steps.find(step => step.step === 'read')
  if (read?.step !== 'read') return []
  const { group, resource } = why.request
  const qualified = group === '' ? resource : `${resource}.${group}`
  const stored = storeCalls(why).filter(call => call.resource === qualified && (call.operation === 'get' || call.operation === 'list'))
  const requested = read.resourceVersion === '' ? 'No resourceVersion requested' : `resourceVersion ${read.resourceVersion} requested`
  const match = read.resourceVersionMatch === '' ? '' : ` (${read.resourceVersionMatch})`
  const taken = stored.reduce((sum, { milliseconds }) => sum + milliseconds, 0)
  const from = stored.length > 0 ? `Served from the store, in ${duration(taken)}.` : 'Served from the watch cache.'
  return [`${requested}${match}: ${read.meaning}.`, ...(why.status === 200 ? [from] : [])]
}

const storeCalls = ({ steps }: Why) => steps.flatMap(step => (step.step === 'store' ? [step] : []))

function writeLines(why: Why): string[] {
  const attempts = why.steps.flatMap(step => (step.step === 'attempt' ? [step] : []))
  const written = why.steps.flatMap(step => (step.step === 'written' ? [step] : []))
  if (attempts.length === 0) return []
  const lines = attempts.map(({ attempt, resourceVersion }) => {
    const state = resourceVersion === undefined ? 'without an existing object' : `on resource version ${resourceVersion}`
    return attempt === 1 ? `Tried ${state}.` : `Retried ${state}, because the object had changed (attempt ${attempt}).`
  })
  for (const { operation, resource, milliseconds, failed } of storeCalls(why))
    lines.push(
      `The store took ${duration(milliseconds)} to ${operation} in ${resource}${failed === undefined ? '' : `, and failed: ${failed}`}.`,
    )
  for (const { outcome, resourceVersion } of written) lines.push(WRITTEN[outcome](resourceVersion ?? ''))
  if (written.length === 0) lines.push('Nothing was written.')
  return lines
}

const WRITTEN: Readonly<Record<Extract<WhyStep, { step: 'written' }>['outcome'], (version: string) => string>> = {
  created: version => `Created, as resource version ${version}.`,
  updated: version => `Updated, to resource version ${version}.`,
  unchanged: version => `No change, nothing written: the object stays at resource version ${version}.`,
  deleted: version => `Deleted, at resource version ${version}.`,
  'dry run': () => 'Dry run: nothing was written.',
}

function responseLines({ status, bytes, answer }: Why): string[] {
  if (status === undefined) return ['The client disconnected before the response.']
  const form = answer.mediaType === undefined ? '' : ` of ${answer.mediaType}`
  return [`${status}, ${bytes} bytes${form}.`, ...(answer.message === undefined ? [] : [answer.message])]
}
