import { notFound } from '../api-fault.ts';
import type { ApiMethod, ApiRequest, ApiResponse, SandboxApi } from './api-method.ts';
import { changeEvent, deleteEvent, findEvent, insertEvent } from './calendar-changes.ts';
import { type CalendarState, present, type StoredEvent } from './calendar-events.ts';
import { listEvents, listInstances, zoneOf } from './calendar-list.ts';
import { watchCalendar } from './calendar-sync.ts';
import { seedCalendar } from './calendar-world.ts';

const A = 'https://www.googleapis.com/auth/';
const WRITE = [`${A}calendar.events.owned`, `${A}calendar.events`, `${A}calendar`];
const READ = [...WRITE, `${A}calendar.events.readonly`, `${A}calendar.readonly`];

type Request = ApiRequest<CalendarState>;
type Method = ApiMethod<CalendarState>;

const EVENTS = '/calendar/v3/calendars/:calendarId/events';
const ONE = `${EVENTS}/:eventId`;

const methods: Method[] = [
  method('GET', EVENTS, READ, (request) => ({ json: listEvents(request) })),
  method('POST', EVENTS, WRITE, (request) => show(request, insertEvent(request))),
  method('GET', ONE, READ, (request) => show(request, findEvent(request))),
  method('PATCH', ONE, WRITE, (request) => show(request, changeEvent(request, false))),
  method('PUT', ONE, WRITE, (request) => show(request, changeEvent(request, true))),
  method('DELETE', ONE, WRITE, (request) => {
    deleteEvent(request);
    return { empty: true };
  }),
  method('GET', `${ONE}/instances`, READ, (request) => ({ json: listInstances(request, findEvent(request)) })),
];

/** The emulator of the calendar API, with the account's primary calendar only. */
export const calendarApi: SandboxApi<CalendarState> = {
  name: 'calendar',
  unitsPerMinute: 600,
  seed: seedCalendar,
  watch: watchCalendar,
  methods,
};

function method(verb: Method['verb'], path: string, scopes: string[], handle: (request: Request) => ApiResponse): Method {
  return {
    verb,
    path,
    scopes,
    units: 1,
    handle(request) {
      const { calendarId } = request.params;
      if (calendarId !== 'primary' && calendarId?.toLowerCase() !== request.account.email) throw notFound('Not Found');
      return handle(request);
    },
  };
}

function show(request: Request, event: StoredEvent): ApiResponse {
  return { json: present(event, request.account, zoneOf(request)) };
}
