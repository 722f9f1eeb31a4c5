import { describe, expect, it } from 'vitest'
import { crossed, end, findingsOf, item, judge, message, start } from '../run-builder.ts'

/* The sender may announce a transfer without the name that the receiver goes by. */

const user = item.user('u1', "I'd like to hear more of it.")
const twice = (first: string, second: string, to = 'delivery_form') =>
  findingsOf(
    judge(
      start(),
      message('user', "I'd like to hear more of it.", { id: 'u1', agent: 'front' }),
      message('assistant', first, { agent: 'front' }),
      ...crossed('h1', 'front', to, [user]),
      message('assistant', second, { agent: to }),
      end(),
    ),
    'receiver-reannounces',
  ).length

describe('receiver-reannounces', () => {
  it.each([
    ['I am transferring you to our delivery desk.', 'I am transferring you to our delivery desk, thanks!'],
    [
      'I am transferring you to our delivery desk.',
      'I am transferring you to our delivery desk, thanks for reaching out!',
    ],
    ['I see what it is about. I am transferring you to our desk.', 'I am transferring you to our desk!'],
    ["I'm putting you through to our desk.", "I'm putting you through to our desk."],
    ['You will be transferred to a colleague.', 'You will now be transferred to a colleague.'],
    ['Ich verbinde Sie mit der Ausgabe.', 'Ich verbinde Sie mit der Ausgabe!'],
    ['Vous allez être transféré au bureau.', 'Vous allez être transféré au bureau.'],
  ])('is raised for %s', (first, second) => {
    expect(twice(first, second)).toBe(1)
  })

  it('is raised where the receiver goes on to announce itself', () => {
    expect(twice("I'm connecting you to our money people.", 'Transferring you to billing.', 'billing')).toBe(
      1,
    )
  })

  it.each([
    ['I am transferring you to our delivery desk.', 'This is the delivery desk. Where shall it go?'],
    ['I am transferring you to our delivery desk.', 'I can be of use with that.'],
    ['I have transferred 40 euros to you.', 'I have transferred 40 euros to you.'],
    ['I transferred 40 euros to your account.', 'I transferred 40 euros to your account.'],
    ['How can I help? I am transferring you to our desk.', 'How can I help?'],
    ['It is the desk at the door.', 'It is the desk at the door.'],
  ])('is silent for %s / %s', (first, second) => {
    expect(twice(first, second)).toBe(0)
  })
})
