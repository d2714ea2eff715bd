import { z } from 'zod';
import { properTag } from '../../public/language/locales.js';
import type { Database } from '../database/database.ts';
import { type Endpoint, endpoint } from '../http/endpoints/endpoint.ts';
import { type Preferences, selectPreferences, updatePreferences } from '../preferences/preferences-repository.ts';
import { nameOf } from '../validation/text-input.ts';
import { timeZone } from '../validation/time-zone.ts';

const MAX_NAME = 100;
const MAX_TAG = 35;

const language = z
  .string()
  .max(MAX_TAG, `must have at most ${MAX_TAG} characters`)
  .overwrite((tag) => properTag(tag) ?? tag)
  .refine((tag) => properTag(tag) !== undefined, 'must be a language tag such as en or en-GB');

const timeOfDay = z.string().regex(/^(?:[01]\d|2[0-3]):[0-5]\d$/, 'must be a time such as 22:00');

const quietHours = z
  .strictObject({ from: timeOfDay, to: timeOfDay })
  .refine(({ from, to }) => from !== to, 'must be two different times')
  .meta({ id: 'QuietHours' });

/** A patch: what it leaves out stays, null removes. */
const patch = z
  .strictObject({
    time_zone: timeZone.nullable().optional().describe('An IANA time zone, such as `Europe/Berlin`.'),
    language: language
      .nullable()
      .optional()
      .describe('A language tag (BCP 47). Steward writes English where it has no texts in the language.'),
    name: nameOf(MAX_NAME).nullable().optional().describe('What the assistant calls the user.'),
    quiet_hours: quietHours
      .nullable()
      .optional()
      .describe(
        'In the user’s time zone (UTC until it is known), every day from one time to the next other one. Meanwhile nothing is told on notification channels but questions that would expire.',
      ),
  })
  .meta({ id: 'PreferencesPatch' });

const preferences = z
  .object({
    time_zone: z.string().nullable(),
    language: z.string().nullable(),
    name: z.string().nullable(),
    quiet_hours: quietHours.nullable(),
  })
  .meta({ id: 'Preferences' });

export function getPreferences({ db }: { db: Database }): Endpoint {
  return endpoint({
    method: 'get',
    path: '/user/preferences',
    summary: 'Preferences of the user',
    description: 'What is null was not said yet.',
    auth: 'id_token',
    response: preferences,
    handle: async ({ caller }) => ({ json: shown(await selectPreferences(db, caller.userId)) }),
  });
}

export function changePreferences({ db }: { db: Database }): Endpoint {
  return endpoint({
    method: 'patch',
    path: '/user/preferences',
    summary: 'Change the preferences of the user',
    description:
      'A JSON merge patch (RFC 7396): a field that is left out stays as it is, null removes it. The assistant, the pages of Steward the periods of bank actions and notifications use them. `quiet_hours` is replaced as a whole.',
    auth: 'id_token',
    form: patch,
    response: preferences,
    async handle({ caller, form }) {
      const { time_zone: zone, quiet_hours: quiet, ...rest } = form;
      return { json: shown(await updatePreferences(db, caller.userId, { timeZone: zone, quietHours: quiet, ...rest })) };
    },
  });
}

function shown({ timeZone: time_zone, language, name, quietHours: quiet_hours }: Preferences): z.input<typeof preferences> {
  return { time_zone, language, name, quiet_hours };
}
