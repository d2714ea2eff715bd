/** Words that say nothing of what is looked for. */
const STOP_WORDS = new Set(
  `a an the of to in at for with by from as and or but if so than then is are was were be been being am do does did doing have has had
  i me my mine we us our you your he him his she her it its they them their this that these those there here please can could may might
  must shall should will would want wants need needs let lets just also very really any some such only own same into onto about
  ll ve re don doesn didn isn aren what how s t`.split(/\s+/),
);

/**
 * Words that people and definitions use for the same: a line for each meaning. Ambiguous words are in several. They are of
 * everyday software, not of certain products.
 */
const MEANINGS = `
create add new make open file register insert set enter begin draft compose start
list show display see view overview all which
get show read see view details tell fetch retrieve return check look give
search find look locate where lookup query seek
update change edit modify set adjust correct fix rename alter replace revise
delete remove erase destroy drop trash discard rid throw wipe
clear empty purge flush
send post write tell message mail notify deliver email
reply answer respond response
assign give hand delegate owner responsible
approve accept confirm allow yes grant agree ok okay
deny reject refuse decline no
cancel stop abort call undo quit withdraw
start begin kick launch run trigger boot spin execute
stop end finish halt quit terminate shut close
restart reboot rerun again retry repeat
pause mute silence suspend hold quiet shut snooze disturb
complete finish done close resolve solve solved settle settled fixed mark
book reserve reservation booking buy take
schedule plan arrange later tomorrow planned calendar
remind reminder task todo follow
move transfer shift put relocate push postpone reschedule
copy duplicate clone
export download save pdf file link
import upload load
restore recover undo revert rollback back previous earlier before old
log record note track enter jot wrote
invite add join access bring
share access permission let give collaborator collaborate see
watch subscribe follow observe
enable activate turn switch on
disable deactivate turn switch off
lock shut close secure
unlock open
compare difference different diff changed between versus
merge combine together unite one same duplicate twice
archive rid hide old
play listen hear put
buy purchase order bought
count many number amount total quantity much
summary summarize average total overview recap sum
history past earlier recent recently last changes
rank best compare top leaderboard
issue bug ticket defect task problem story
ticket request case support inquiry helpdesk
comment remark note feedback discussion
message post text dm write
channel group conversation
person people user member employee colleague staff somebody someone who everybody participant team
customer client buyer shopper subscriber requester
contact lead prospect person customer
company firm organisation organization business
deal opportunity
revenue income sales money earn earned made turnover mrr
invoice bill
payment charge money pay paid transaction
refund money back return reimburse compensation claim
price cost fee expensive cheap cheapest fare rate
spend spent cost bill money
product item article goods
stock inventory left available warehouse quantity
discount coupon voucher off percent promotion code
shipment parcel package delivery tracking
ship shipped sent fulfill dispatch deliver
cart basket checkout
light lamp bulb brightness dim bright
temperature heating thermostat warm warmer cold heat degrees celsius climate
blind curtain shutter cover
speaker loudspeaker audio sound
vacuum robot clean hoover
alarm burglar security
energy electricity power consumption
picture photo image snapshot camera
build pipeline job workflow ci
deploy deployment ship rollout rolled
release version publish
production live prod
error exception crash failure bug fail failed broken
alert alarm warning firing warn
incident outage down
oncall pager duty shift call
metric chart graph plot
slow latency performance long forever
vacation holiday leave absence absent away out off pto
salary pay payslip wage earn
hire hired applicant candidate join applied recruit
manager boss report supervisor lead
department team office
leave departure offboard resign quit fired
position job opening vacancy role
route directions way drive navigate
duration long time hours minutes
traffic jam congestion
place restaurant cafe shop bar address spot
near nearby around close vicinity
parking park
transit bus train tram subway metro transport departure
song track music tune
band artist singer musician
similar like recommend recommendation suggest suggestion
favourite favorite like love liked saved library
volume loud loudness louder quiet quieter
next skip after following
queue next
subscription membership subscribe plan
plan tier package
dispute chargeback contest contested
payout transfer
design mockup screen frame
font typeface
color colour token
server machine instance vm computer host
domain dns website
storage bucket object
backup snapshot
certificate tls ssl cert
expire expiry expiration expires
memory processor cpu size ram
pr pull
repo repository
code source
review reviewer look
vulnerability security advisory vulnerable cve
meeting call conference video
recording record watch video
transcript said spoken talked discussed say
attend attendee participant attended join
poll vote survey
table spreadsheet sheet base
record row line entry
column field attribute property
form survey signup questionnaire
page wiki doc document article
flight fly flew plane airline
delay delayed late time status
hotel stay accommodation lodging night sleep
train rail railway
rent rental hire
trip journey travel itinerary vacation
weather forecast rain sunny
baggage luggage bag suitcase
seat sit window aisle
boarding checkin check
points miles loyalty
currency exchange convert euros dollars
workout exercise training sport activity run ran ride swim swimming jog
train training prepare plan
sleep slept rest
step walk walked
weight weigh kg kilo
meal eat ate food breakfast lunch dinner snack
drink drank water
calories nutrition nutrient protein
pulse heart
goal target aim
gear shoes bike equipment
distance kilometre km mile far
urgent priority important critical severity
deadline due date
status state progress
late overdue breach deadline waited
satisfaction rating happy score review
name title called topic subject headline
link url address
phone telephone phoned rang call
draft unpublished
access key token credential password secret
variable setting value secret
rule automation condition
folder directory
attach attachment file upload
`;

const groups = MEANINGS.trim()
  .split('\n')
  .map((line) => line.trim().split(' '));

/** Markers of the meanings of a word, by its stem. */
const meanings = new Map<string, string[]>();
for (const [index, words] of groups.entries()) {
  for (const word of words) {
    const stem = stemOf(word);
    const known = meanings.get(stem) ?? [];
    if (!known.includes(`#${index}`)) meanings.set(stem, [...known, `#${index}`]);
  }
}

/** The words of a text, in lower case, also those inside `snake_case` and `camelCase`. */
export function wordsIn(text: string): string[] {
  const apart = text.replace(/(\p{Ll}|\p{N})(?=\p{Lu})/gu, '$1 ');
  return apart.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
}

/** What an index has for a word: its stem, and markers of its meanings, which begin with `#`. None for a word that says nothing. */
export function termsOf(word: string): string[] {
  if (STOP_WORDS.has(word)) return [];
  const stem = stemOf(word);
  return [stem, ...(meanings.get(stem) ?? [])];
}

/** Whether a term is a marker of a meaning, not a word. */
export function isMeaning(term: string): boolean {
  return term.startsWith('#');
}

/** A word without the endings of English plurals and verbs. */
export function stemOf(word: string): string {
  if (word.length < 4) return word;
  const plural = withoutPlural(word);
  const stem = withoutEnding(plural);
  return stem.length > 3 && stem.endsWith('e') ? stem.slice(0, -1) : stem;
}

function withoutPlural(word: string): string {
  if (word.endsWith('ies') && word.length > 4) return `${word.slice(0, -3)}y`;
  if (/(?:s|x|z|ch|sh)es$/.test(word)) return word.slice(0, -2);
  return word.endsWith('s') && !/(?:ss|us|is)$/.test(word) ? word.slice(0, -1) : word;
}

function withoutEnding(word: string): string {
  const ending = ['ing', 'ed'].find((one) => word.endsWith(one) && word.length - one.length >= 3);
  if (ending === undefined) return word;
  const rest = word.slice(0, -ending.length);
  if (!/[aeiouy]/.test(rest)) return word;
  // “planned”, “running”; not “filled”, “missed”.
  return /([bdgmnprt])\1$/.test(rest) ? rest.slice(0, -1) : rest;
}
