const words = (text: string) => text.trim().split(/\s+/);

/** Words at the beginning are used more often. */
export const THINGS = words(`
  car dog garden bicycle kitchen cat guitar piano laptop phone coffee book camera house boat train flight hotel
  passport wallet jacket coat kettle lamp chair table sofa mirror carpet window door fence roof cellar attic balcony
  tent backpack suitcase map compass umbrella scarf boots sandals helmet violin cello drum trumpet flute radio record
  painting sculpture photograph album letter postcard parcel notebook diary novel dictionary magazine newspaper
  recipe soup bread cheese salad pasta curry cake pie jam honey tea wine beer juice yoghurt breakfast lunch dinner
  picnic barbecue restaurant bakery market pharmacy dentist doctor allergy vaccine insurance contract invoice salary
  budget loan mortgage savings tax pension degree thesis exam lecture course diploma interview promotion meeting
  deadline presentation spreadsheet server database printer keyboard monitor tablet charger battery router password
  marathon swimming tennis football chess yoga climbing skiing surfing rowing concert festival theatre cinema museum
  gallery wedding birthday anniversary christening funeral reunion holiday cruise safari cottage tractor orchard
  greenhouse beehive chicken horse rabbit parrot turtle aquarium telescope microscope drone robot puzzle
`);

export const PEOPLE = words(`
  Anna Ben Clara David Elena Felix Greta Hugo Ida Jonas Karin Leo Maria Nils Olga Paul Quentin Rosa Stefan Tina Uwe
  Vera Walter Xenia Yusuf Zoe Amir Bianca Carlos Dana Emil Fatima Georg Hannah Igor Julia Kemal Laura Marco Nadia Oscar
  Petra Rafael Sofia Tomas Ursula Viktor Wanda Yara Zeno Alma Boris Chiara Dmitri Esther Franz Gita Henrik Ines Jamal
  Katya Lukas Mina Noah Otto Priya Ruben Sanna Theo Ulrike
`);

export const PLACES = words(`
  Berlin Zurich Vienna Paris London Rome Madrid Lisbon Oslo Stockholm Helsinki Warsaw Prague Budapest Athens Dublin
  Brussels Geneva Basel Bern Munich Hamburg Cologne Milan Naples Turin Seville Porto Lyon Nice Antwerp Rotterdam Utrecht
  Gdansk Krakow Tallinn Riga Vilnius Zagreb Ljubljana
`);

export const ADJECTIVES = words(`
  new old red blue green black white small large heavy light broken borrowed wooden electric second-hand expensive cheap
  favourite spare antique modern leather plastic copper silver quiet noisy comfortable waterproof foldable portable
`);

/** `%1$s` person, `%2$s` adjective, `%3$s` thing, `%4$s` place, `%5$s` day, `%6$s` number. */
export const STATEMENTS = [
  'Bought a %2$s %3$s together with %1$s in %4$s on %5$s for %6$s francs.',
  '%1$s has had the %2$s %3$s since %5$s; it came from %4$s with the number %6$s.',
  'Wants to sell the %2$s %3$s to %1$s for %6$s euros before moving to %4$s on %5$s.',
  'Told %1$s on %5$s that the %3$s in %4$s is too %2$s and %6$s steps away.',
  'Is planning a trip to %4$s with %1$s starting %5$s because of the %2$s %3$s, %6$s kilometres by train.',
  'The %3$s that %1$s recommended on %5$s turned out to be %2$s; the shop in %4$s has %6$s more.',
  'Prefers the %2$s %3$s over the one %1$s uses at work in %4$s, as noted on %5$s under %6$s.',
  'Keeps a %2$s %3$s at the office in %4$s, locker %6$s; %1$s has had the key since %5$s.',
  'Met %1$s in %4$s on %5$s to talk about the %3$s, which was %2$s, for %6$s minutes.',
  '%1$s asked about the %2$s %3$s on %5$s; the answer is in folder %6$s of the %4$s project.',
  'Has been learning about the %3$s with %1$s since %5$s, %6$s minutes a week at a %2$s place in %4$s.',
  'Lost the %2$s %3$s on the way to %4$s on %5$s; %1$s found it near house number %6$s.',
  'Promised %1$s to bring the %2$s %3$s to %4$s on %5$s and to be there before %6$s others.',
  'Does not like that the %3$s from %4$s is %2$s; %1$s paid %6$s for it on %5$s.',
  'Repaired the %2$s %3$s with help from %1$s on %5$s; the parts from %4$s cost %6$s.',
  'Reminded %1$s on %5$s of the %3$s appointment in %4$s, room %6$s, with the %2$s entrance.',
] as const;

/** `%1$s` person, `%3$s` thing. */
export const QUESTIONS = [
  'What did %1$s say about the %3$s?',
  'Where is the %3$s that %1$s wanted?',
  'When did I talk to %1$s about my %3$s?',
  'Which %3$s does %1$s have?',
] as const;

export const CATEGORIES = ['general', 'preference', 'event', 'relationship', 'work', 'health'] as const;
